// SPDX-License-Identifier: MIT
// The NVRTC library to which the stand-in forwards its calls.
#pragma once

#include <filesystem>
#include <vector>

#include "base/dynlib.h"

namespace pycuda::standins {

/// The folders named `nvidia` with NVIDIA's wheels that belong to this process: those of the Python
/// that runs it, if one does, then those that PYCUDA_NVIDIA_PACKAGES lists.
std::vector<std::filesystem::path> package_folders();

/// NVIDIA's NVRTC, of the major version `preferred` if there is one. Found once; null when there is
/// none, which the log says.
const base::DynamicLibrary* nvrtc_library(int preferred);

}  // namespace pycuda::standins
