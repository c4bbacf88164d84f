// SPDX-License-Identifier: MIT
// Detail for errors: a message in the log where the error code alone says too little.
#pragma once

#include <string_view>

#include "base/log.h"
#include "cpu/api/cuda_abi.h"

namespace pycuda::cpu::api {

/// Logs `why` a call fails: for cuLogs*, and as a line of `level` to the standard error stream.
void report(std::string_view why, base::LogLevel level = base::LogLevel::Warning);
/// Reports `why` the call fails and returns `result`.
CUresult fail(CUresult result, std::string_view why);
/// INVALID_HANDLE: the array does not exist, or was destroyed.
CUresult fail_unknown_array();
/// INVALID_VALUE: an array that kernels cannot write to.
CUresult fail_read_only_array();

}  // namespace pycuda::cpu::api
