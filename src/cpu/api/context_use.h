// SPDX-License-Identifier: MIT
// Which context each thread is at work in: one that is destroyed goes when they have left it.
#pragma once

#include "cpu/api/cuda_abi.h"

namespace pycuda::cpu::api {

/// While it lives, `wait_for_users` of other threads waits. CUDA leaves it to programs to see to it
/// that no call is at work in a context that is destroyed; a thread that ends a program while
/// others go on cannot. The handle is to be looked up afterwards. Of uses one within the other the
/// inner one counts.
class [[nodiscard]] ContextUse {
 public:
  explicit ContextUse(CUcontext handle);
  ContextUse(const ContextUse&) = delete;
  ContextUse& operator=(const ContextUse&) = delete;
  ~ContextUse();

 private:
  CUcontext before_;
};

/// Blocks until no other thread is at work in the context, whose handle leads nowhere any more.
void wait_for_users(CUcontext handle);

}  // namespace pycuda::cpu::api
