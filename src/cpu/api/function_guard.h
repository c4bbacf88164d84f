// SPDX-License-Identifier: MIT
// entry_guard for the functions that take a kernel.
#pragma once

#include <utility>

#include "cpu/api/entry_guard.h"
#include "cpu/api/launch.h"

namespace pycuda::cpu::api {

/// As with_context, with the function that `handle` names there.
template <class Body>
CUresult with_function(CUfunction handle, Body&& body,
                       const char* entry = __builtin_FUNCTION()) noexcept {
  return with_context(
      [&](Context& context) -> CUresult {
        Function* function = nullptr;
        const CUresult status = find_function(context, handle, &function);
        return status == CUDA_SUCCESS ? body(*function) : status;
      },
      entry);
}

/// The same for those to which no function at all is an invalid value, as NVIDIA's driver has it.
template <class Body>
CUresult with_given_function(CUfunction handle, Body&& body,
                             const char* entry = __builtin_FUNCTION()) noexcept {
  if (handle == nullptr)
    return with_context([](Context&) -> CUresult { return CUDA_ERROR_INVALID_VALUE; }, entry);
  return with_function(handle, std::forward<Body>(body), entry);
}

}  // namespace pycuda::cpu::api
