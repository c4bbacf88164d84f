// SPDX-License-Identifier: MIT
// Which context each thread is using: a destroyed context is freed when all have left it.
#pragma once

#include <atomic>
#include <cstdint>

#include "cpu/api/cuda_abi.h"

namespace pycuda::cpu::api {

/// What a thread is at work in, for `wait_for_users` of others.
struct UsedContext {
  std::atomic<CUcontext> handle{nullptr};
  /// Of an object whose context may be another one.
  std::atomic<CUcontext> of_object{nullptr};
  bool is_listed = false;  ///< others can see it
};
// Found without a call, as this_thread is.
#if defined(__GNUC__)
__attribute__((tls_model("initial-exec")))
#endif
extern constinit thread_local UsedContext used_context;

/// Who waits makes all other threads see to the order of their accesses: they need not themselves.
extern constinit std::atomic<bool> waiters_fence_others;

/// Lets others see `used_context` of this thread, as long as the thread lives.
void list_used_context();

/// While it lives, `wait_for_users` of other threads waits. CUDA leaves it to programs to see to it
/// that no call is at work in a context that is destroyed; a thread that ends a program while
/// others go on cannot. The handle is to be looked up afterwards. Of uses one within the other the
/// inner one counts.
class [[nodiscard]] ContextUse {
 public:
  explicit ContextUse(CUcontext handle) : ContextUse(used_context.handle, handle) {}
  ContextUse(const ContextUse&) = delete;
  ContextUse& operator=(const ContextUse&) = delete;
  ~ContextUse() { used_.store(before_, std::memory_order_release); }

 protected:
  ContextUse(std::atomic<CUcontext>& used, CUcontext handle)
      : used_(used), before_(used.load(std::memory_order_relaxed)) {
    if (!used_context.is_listed) [[unlikely]]
      list_used_context();
    used_.store(handle, std::memory_order_relaxed);
    // Before the handle is looked up, for all threads: who makes it lead nowhere looks here then.
    if (waiters_fence_others.load(std::memory_order_relaxed)) {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      std::atomic_thread_fence(std::memory_order_seq_cst);
    }
  }

  std::atomic<CUcontext>& used_;

 private:
  CUcontext before_;
};

/// The same for an object that a handle names, beside the current context: whose it is is known
/// only once it is found. Until `is_of` says so `wait_for_users` waits for any context.
class [[nodiscard]] ObjectUse : ContextUse {
 public:
  ObjectUse() : ContextUse(used_context.of_object, any_context()) {}
  void is_of(CUcontext handle) { used_.store(handle, std::memory_order_release); }

  static CUcontext any_context() { return reinterpret_cast<CUcontext>(~std::uintptr_t{0}); }
};

/// Blocks until no other thread is at work in the context, whose handle leads nowhere any more, or
/// with an object of it.
void wait_for_users(CUcontext handle);

}  // namespace pycuda::cpu::api
