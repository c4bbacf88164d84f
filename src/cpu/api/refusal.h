// SPDX-License-Identifier: MIT
// Logs why a call fails, where its error code alone says too little.
#pragma once

#include <string_view>

#include "cpu/api/cuda_abi.h"

namespace pycuda::cpu::api {

/// `result`, after a line in the log that says `why`.
CUresult refuse(CUresult result, std::string_view why);
/// INVALID_HANDLE: an array that was destroyed or never was.
CUresult refuse_array();
/// INVALID_VALUE: an array that kernels cannot write to.
CUresult refuse_surface();

}  // namespace pycuda::cpu::api
