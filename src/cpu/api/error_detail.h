// SPDX-License-Identifier: MIT
// Detail for errors: a line in the log where the error code alone says too little.
#pragma once

#include <string_view>

#include "cpu/api/cuda_abi.h"

namespace pycuda::cpu::api {

/// Logs `why` the call fails and returns `result`.
CUresult fail(CUresult result, std::string_view why);
/// INVALID_HANDLE: the array does not exist, or was destroyed.
CUresult fail_unknown_array();
/// INVALID_VALUE: an array that kernels cannot write to.
CUresult fail_read_only_array();

}  // namespace pycuda::cpu::api
