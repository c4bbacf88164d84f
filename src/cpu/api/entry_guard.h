// SPDX-License-Identifier: MIT
// The entry and exit of every exported function: checks the preconditions and catches every
// exception.
#pragma once

#include <atomic>
#include <new>
#include <utility>

#include "cpu/api/context.h"
#include "cpu/api/context_pins.h"
#include "cpu/api/cuda_abi.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/error_log.h"
#include "cpu/api/registry.h"
#include "cpu/exec/interrupts.h"

namespace pycuda::cpu::api {

/// CUDA_SUCCESS once cuInit has succeeded in this process; NOT_INITIALIZED before, and in a forked
/// child.
inline std::atomic<CUresult> driver_status{CUDA_ERROR_NOT_INITIALIZED};

/// What a thread carries from call to call.
struct ThreadState {
  CUcontext current = nullptr;      ///< top of the context stack
  bool in_host_callback = false;    ///< the driver is calling the program: it must not call back
  bool stream_zero_is_own = false;  ///< in a function of the per-thread-default-stream ABI
  bool in_call = false;             ///< of a function that `with_driver` guards
  bool refusal_kept = false;        ///< why the latest call failed can still be read
  /// What captures of others forbid to this thread.
  CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
};
// Found without a call, by every function: there is always room for so little in a thread.
#if defined(__GNUC__)
__attribute__((tls_model("initial-exec")))
#endif
extern constinit thread_local ThreadState this_thread;

/// Runs `body` (-> CUresult) and lets nothing out of it.
template <class Body>
CUresult guarded(Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (const exec::WaitSliceOver&) {
    return CUDA_ERROR_NOT_READY;
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return CUDA_ERROR_UNKNOWN;
  }
}

/// As `guarded`, when the driver is initialised. A result that is an error goes to the log,
/// as that of the outermost `function`.
template <class Body>
CUresult with_driver(Body&& body, const char* entry = __builtin_FUNCTION()) noexcept {
  const CUresult status = driver_status.load(std::memory_order_acquire);
  if (status != CUDA_SUCCESS) [[unlikely]]
    return status;
  if (this_thread.in_host_callback) [[unlikely]]
    return CUDA_ERROR_NOT_PERMITTED;
  const bool outermost = !std::exchange(this_thread.in_call, true);
  if (outermost && this_thread.refusal_kept) [[unlikely]]
    drop_refusal();
  const CUresult result = guarded(std::forward<Body>(body));
  if (outermost) {
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY) [[unlikely]]
      record_result(entry, result);
    else if (this_thread.refusal_kept) [[unlikely]]
      drop_refusal();
    this_thread.in_call = false;
    if (undelivered_messages.load(std::memory_order_relaxed)) [[unlikely]]
      deliver_messages();
  }
  return result;
}

/// As `with_driver`, with the calling thread's current context, when it has one that lives.
template <class Body>
CUresult with_any_context(Body&& body, const char* entry = __builtin_FUNCTION()) noexcept {
  return with_driver(
      [&]() -> CUresult {
        const CUcontext handle = this_thread.current;
        if (handle == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
        const ContextPin pin(handle);
        Context* context = registry.contexts.find(handle);
        if (context == nullptr) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
        return body(*context);
      },
      entry);
}

/// As `with_any_context`, when no fault has been reported in that context.
template <class Body>
CUresult with_context(Body&& body, const char* entry = __builtin_FUNCTION()) noexcept {
  return with_any_context(
      [&](Context& context) -> CUresult {
        const CUresult status = context.status();
        if (status != CUDA_SUCCESS) [[unlikely]]
          return status;
        return body(context);
      },
      entry);
}

}  // namespace pycuda::cpu::api
