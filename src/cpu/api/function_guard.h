// SPDX-License-Identifier: MIT
// entry_guard for the functions that take a kernel.
#pragma once

#include "cpu/api/entry_guard.h"
#include "cpu/api/launch.h"

namespace pycuda::cpu::api {

/// As with_context, with the function that `handle` names there.
template <class Body>
CUresult with_function(CUfunction handle, Body&& body) noexcept {
  return with_context([&](Context& context) -> CUresult {
    Function* function = nullptr;
    const CUresult status = find_function(context, handle, &function);
    return status == CUDA_SUCCESS ? body(*function) : status;
  });
}

}  // namespace pycuda::cpu::api
