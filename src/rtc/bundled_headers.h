// SPDX-License-Identifier: MIT
// The CUDA headers that NVRTC 13.3 and newer carry within themselves.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "rtc/nvrtc.h"

namespace pycuda::rtc {

/// Whether headers of the toolkit or of CCCL are in none of `folders`.
bool lack_toolkit_headers(const std::vector<std::filesystem::path>& folders);

/// The include folders of the headers that were written for the NVRTC of this identity
/// (file_identity()), by write_headers with the same `cache` (empty: for this process alone).
/// Empty when there are none.
std::vector<std::filesystem::path> written_headers(const std::filesystem::path& cache,
                                                   const std::string& identity);

/// Writes the headers that `nvrtc` carries into a folder of `cache`, or into a temporary folder of
/// this process where that is not possible. The include folders: NVRTC's, and one of headers that
/// NVRTC leaves out because it knows by itself what they declare (cuda_runtime.h, for one). A
/// failure is a sentence. Any thread; other processes may do the same.
base::Result<std::vector<std::filesystem::path>> write_headers(const Nvrtc& nvrtc,
                                                               const std::filesystem::path& cache,
                                                               const std::string& identity);

}  // namespace pycuda::rtc
