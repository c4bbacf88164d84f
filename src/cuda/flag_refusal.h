// SPDX-License-Identifier: MIT
// What is wrong with flags that the driver refuses as an invalid argument.
#pragma once

#include <string>

#include "driver/error.h"

namespace pycuda::cuda {

/// The error `code` of `call`, with what may be passed where bits of `flags` are none of `known`.
template <class Call>
driver::DriverError flag_error(const Call& call, CUresult code, unsigned int flags,
                               unsigned int known, const char* what_may_be) {
  if (code != CUDA_ERROR_INVALID_VALUE || (flags & ~known) == 0) return call.error(code);
  return call.error(code, "flags=" + std::to_string(flags) + ": " + what_may_be);
}

}  // namespace pycuda::cuda
