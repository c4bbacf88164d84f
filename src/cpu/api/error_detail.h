// SPDX-License-Identifier: MIT
// Detail for errors: a message where the error code alone says too little.
#pragma once

#include <string>
#include <string_view>

#include "base/log.h"
#include "cpu/api/cuda_abi.h"

namespace pycuda::cpu::api {

/// Logs `why` a call fails: for cuLogs*, and as a line of `level` to the standard error stream.
void report(std::string_view why, base::LogLevel level = base::LogLevel::Warning);

/// The reason why the calling thread's call fails: logged for cuLogs*, and a line of `level` to the
/// standard error stream. A program that reads reasons (cuCpuGetRefusal) gets it in place of the
/// line, which is written if it has not read it before this thread's next call. Returns `result`.
CUresult fail(CUresult result, std::string_view why,
              base::LogLevel level = base::LogLevel::Warning);
/// From now on the program reads reasons.
void announce_refusal_reader() noexcept;
/// The reason of this thread's latest call if it failed with `result`; empty if there is none.
std::string take_refusal(CUresult result);
/// At the end of what a reason may be read for: writes one that was not.
void drop_refusal() noexcept;

/// INVALID_HANDLE: the array does not exist, or was destroyed.
CUresult fail_unknown_array();
/// INVALID_VALUE: an array that kernels cannot write to.
CUresult fail_read_only_array();

}  // namespace pycuda::cpu::api
