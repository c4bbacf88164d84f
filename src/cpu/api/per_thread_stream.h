// SPDX-License-Identifier: MIT
// What stream 0 means in the functions of the per-thread-default-stream ABI.
#pragma once

#include "cpu/api/entry_guard.h"

namespace pycuda::cpu::api {

/// While it lives, stream 0 is the calling thread's own.
class OwnStreamZero {
 public:
  OwnStreamZero() : before_(this_thread.stream_zero_is_own) {
    this_thread.stream_zero_is_own = true;
  }
  ~OwnStreamZero() { this_thread.stream_zero_is_own = before_; }
  OwnStreamZero(const OwnStreamZero&) = delete;
  OwnStreamZero& operator=(const OwnStreamZero&) = delete;

 private:
  bool before_;
};

}  // namespace pycuda::cpu::api
