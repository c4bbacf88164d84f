// SPDX-License-Identifier: MIT
// What a signal's handler may not do inside of the call that it interrupts.
#pragma once

#include <atomic>

#include "cpu/api/context_pins.h"
#include "cpu/api/error_detail.h"

namespace pycuda::cpu::api {

/// Whether a call of this thread uses the context: it waits, and lets the program handle signals.
inline bool is_pinned_here(CUcontext handle) noexcept {
  return handle != nullptr && pinned_context.handle.load(std::memory_order_relaxed) == handle;
}

/// NOT_PERMITTED: a signal's handler would end the context of the call that it interrupts.
inline CUresult fail_context_in_call() {
  return fail(CUDA_ERROR_NOT_PERMITTED,
              "a signal's handler cannot end the context that the interrupted call still uses: let "
              "the handler raise an exception or set a flag, and end the context after the call");
}

}  // namespace pycuda::cpu::api
