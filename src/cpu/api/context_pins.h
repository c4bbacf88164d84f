// SPDX-License-Identifier: MIT
// Pins of contexts: a destroyed context is freed once no other thread uses it.
#pragma once

#include <atomic>
#include <cstdint>

#include "cpu/api/cuda_abi.h"

namespace pycuda::cpu::api {

/// The context that a thread uses, read by `wait_for_pins` of other threads.
struct PinnedContext {
  std::atomic<CUcontext> handle{nullptr};
  /// Of an object whose context may be another one.
  std::atomic<CUcontext> of_object{nullptr};
  bool is_listed = false;  ///< others can see it
};
// Found without a call, as this_thread is.
#if defined(__GNUC__)
__attribute__((tls_model("initial-exec")))
#endif
extern constinit thread_local PinnedContext pinned_context;

/// `wait_for_pins` issues a memory barrier for all threads (membarrier), so pinning needs none.
extern constinit std::atomic<bool> waiters_fence_others;

/// Lets others see `pinned_context` of this thread, as long as the thread lives.
void list_pinned_context();

/// While it lives, `wait_for_pins` of other threads waits. CUDA expects programs not to destroy a
/// context that a call still uses; a thread that ends the program while others run cannot comply.
/// Look up the handle after pinning it. Of nested pins only the innermost counts.
class [[nodiscard]] ContextPin {
 public:
  explicit ContextPin(CUcontext handle) : ContextPin(pinned_context.handle, handle) {}
  ContextPin(const ContextPin&) = delete;
  ContextPin& operator=(const ContextPin&) = delete;
  ~ContextPin() { pin_.store(before_, std::memory_order_release); }

 protected:
  ContextPin(std::atomic<CUcontext>& pin, CUcontext handle)
      : pin_(pin), before_(pin.load(std::memory_order_relaxed)) {
    if (!pinned_context.is_listed) [[unlikely]]
      list_pinned_context();
    pin_.store(handle, std::memory_order_relaxed);
    // Ordered before the handle is looked up: a thread that invalidates it reads the pins after.
    if (waiters_fence_others.load(std::memory_order_relaxed)) {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      std::atomic_thread_fence(std::memory_order_seq_cst);
    }
  }

  std::atomic<CUcontext>& pin_;

 private:
  CUcontext before_;
};

/// The same for an object beside the current context. Its context is known only once the object is
/// found: until `is_of` is called, `wait_for_pins` waits whatever context is destroyed.
class [[nodiscard]] ObjectPin : ContextPin {
 public:
  ObjectPin() : ContextPin(pinned_context.of_object, any_context()) {}
  void is_of(CUcontext handle) { pin_.store(handle, std::memory_order_release); }

  static CUcontext any_context() { return reinterpret_cast<CUcontext>(~std::uintptr_t{0}); }
};

/// Blocks until no other thread uses the context, whose handle is invalid by now, or an object of
/// it.
void wait_for_pins(CUcontext handle);

}  // namespace pycuda::cpu::api
