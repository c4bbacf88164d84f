// SPDX-License-Identifier: MIT
// Finds NVRTC and its headers without opening any library.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace pycuda::rtc {

/// One NVRTC that could be used.
struct NvrtcInstallation {
  std::string library;   ///< a file, or a name that the loader searches for
  int major = 0;         ///< of the file name; 0 when it tells none
  std::string identity;  ///< changes whenever the file does
  std::string origin;    ///< for people: "PYCUDA_NVRTC", "wheel", "toolkit", "library path"
  std::vector<std::filesystem::path>
      include_folders;  ///< NVIDIA's headers; empty when there are none
};

/// All there are, best first: the file PYCUDA_NVRTC and nothing else, or the wheels in
/// `package_folders` (the folders named `nvidia` of a Python; newest first), toolkits (CUDA_PATH,
/// CUDA_HOME, CUDA_ROOT, CONDA_PREFIX, usual places), LD_LIBRARY_PATH, the loader. Headers come
/// from the same wheel or toolkit, and what a wheel lacks of them from a toolkit of the same CUDA
/// version; a toolkit's NVRTC counts only where no wheel has one of the same CUDA version.
std::vector<NvrtcInstallation> find_nvrtc(std::span<const std::filesystem::path> package_folders);

/// The first part of that list alone, PYCUDA_NVRTC and the wheels: cheap, and all that is needed as
/// a rule.
std::vector<NvrtcInstallation> find_nvrtc_wheels(
    std::span<const std::filesystem::path> package_folders);

/// The executable `name` (a path, or a name to look for in PATH and in toolkits), or empty.
std::filesystem::path find_nvcc(const std::string& name);

/// Path, size and time of a file as text, or the path alone when it cannot be looked at.
std::string file_identity(const std::filesystem::path& file);

/// The sentence for people who have no NVRTC.
std::string missing_nvrtc_message();

}  // namespace pycuda::rtc
