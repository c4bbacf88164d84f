// SPDX-License-Identifier: MIT
#include "rtc/bundled_headers.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/hash.h"
#include "base/read_file.h"
#include "rtc/driver_header.h"

namespace pycuda::rtc {
namespace {

namespace fs = std::filesystem;

/// Headers of the toolkit for which NVRTC needs no file: it knows what they declare.
constexpr const char* kKnown[] = {"builtin_types.h",
                                  "channel_descriptor.h",
                                  "common_functions.h",
                                  "cuda.h",
                                  "cuda_device_runtime_api.h",
                                  "cuda_runtime.h",
                                  "cuda_runtime_api.h",
                                  "device_atomic_functions.h",
                                  "device_double_functions.h",
                                  "device_functions.h",
                                  "device_launch_parameters.h",
                                  "device_types.h",
                                  "driver_functions.h",
                                  "driver_types.h",
                                  "host_config.h",
                                  "host_defines.h",
                                  "library_types.h",
                                  "math_functions.h",
                                  "sm_20_atomic_functions.h",
                                  "sm_20_intrinsics.h",
                                  "sm_30_intrinsics.h",
                                  "sm_32_atomic_functions.h",
                                  "sm_32_intrinsics.h",
                                  "sm_35_atomic_functions.h",
                                  "sm_35_intrinsics.h",
                                  "sm_60_atomic_functions.h",
                                  "sm_61_intrinsics.h",
                                  "surface_indirect_functions.h",
                                  "surface_types.h",
                                  "texture_indirect_functions.h",
                                  "texture_types.h",
                                  "vector_functions.h",
                                  "crt/common_functions.h",
                                  "crt/device_double_functions.h",
                                  "crt/device_functions.h",
                                  "crt/host_config.h",
                                  "crt/host_defines.h",
                                  "crt/math_functions.h"};

/// What programs ask of these headers, beside declarations: which version they are of.
constexpr const char* kVersions =
    "#pragma once\n"
    "#ifndef CUDA_VERSION\n"
    "#define CUDA_VERSION (__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10)\n"
    "#endif\n"
    "#ifndef CUDART_VERSION\n"
    "#define CUDART_VERSION CUDA_VERSION\n"
    "#endif\n";

constexpr std::string_view kDriverHeader = "cuda.h";

/// Of the folder with the known ones.
constexpr const char* kKnownFolder = "known";

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::vector<fs::path> include_folders(const fs::path& root) {
  return {root, root / "cccl", root / kKnownFolder};
}

fs::path folder_in(const fs::path& cache, const std::string& identity) {
  base::Hash hash;
  // A newer package writes other headers.
  hash.add(identity).add(kVersions).add(kDriverTypes);
  return cache / ("nvrtc-headers-" + hash.hex());
}

/// Temporary folders of this process, which go with it: not with a copy of it (fork).
class ProcessFolders {
 public:
  ~ProcessFolders() {
    if (::getpid() != owner_) return;
    for (const auto& [identity, folder] : folders_) {
      std::error_code error;
      fs::remove_all(folder, error);
    }
  }

  fs::path find(const std::string& identity) {
    const std::lock_guard lock(mutex_);
    const auto found = folders_.find(identity);
    return found == folders_.end() ? fs::path() : found->second;
  }
  void add(const std::string& identity, const fs::path& folder) {
    const std::lock_guard lock(mutex_);
    folders_[identity] = folder;
  }

 private:
  const pid_t owner_ = ::getpid();
  std::mutex mutex_;
  std::map<std::string, fs::path> folders_;
};

ProcessFolders& process_folders() {
  static ProcessFolders folders;
  return folders;
}

bool write_known_headers(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder / "crt", error);
  if (error) return false;
  for (const char* const name : kKnown) {
    std::string text = kVersions;
    if (name == kDriverHeader) text += kDriverTypes;
    if (!base::write_file((folder / name).native(), text)) return false;
  }
  return true;
}

/// A new folder in `parent`, filled.
base::Result<fs::path> write_into(const fs::path& parent, const Nvrtc& nvrtc) {
  std::error_code error;
  fs::create_directories(parent, error);
  std::string name = (parent / ".tmp-pycuda-headers-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    return base::Failure{"nothing can be written to " + parent.string()};
  const fs::path folder = name;
  std::string failure = nvrtc.write_headers(folder.string());
  if (failure.empty() && !write_known_headers(folder / kKnownFolder))
    failure = "nothing more can be written to " + parent.string();
  if (failure.empty()) return folder;
  fs::remove_all(folder, error);
  return base::Failure{std::move(failure)};
}

}  // namespace

bool lack_toolkit_headers(const std::vector<fs::path>& folders) {
  constexpr const char* kOneOfEach[] = {"cuda_fp16.h", "crt/mma.h", "cub/cub.cuh"};
  return std::ranges::any_of(kOneOfEach, [&](const char* header) {
    return std::ranges::none_of(folders,
                                [&](const fs::path& folder) { return is_there(folder / header); });
  });
}

std::vector<fs::path> written_headers(const fs::path& cache, const std::string& identity) {
  if (!cache.empty()) {
    const fs::path folder = folder_in(cache, identity);
    if (is_there(folder)) return include_folders(folder);
  }
  const fs::path own = process_folders().find(identity);
  return own.empty() ? std::vector<fs::path>() : include_folders(own);
}

base::Result<std::vector<fs::path>> write_headers(const Nvrtc& nvrtc, const fs::path& cache,
                                                  const std::string& identity) {
  std::error_code error;
  if (!cache.empty()) {
    if (const auto written = write_into(cache, nvrtc)) {
      // Whole or not at all; another process may have been faster.
      const fs::path folder = folder_in(cache, identity);
      fs::rename(*written, folder, error);
      if (error) fs::remove_all(*written, error);
      if (is_there(folder)) return include_folders(folder);
    }
  }
  const fs::path temporary = fs::temp_directory_path(error);
  if (error) return base::Failure{"there is no folder for temporary files"};
  const auto written = write_into(temporary, nvrtc);
  if (!written) return written.error();
  process_folders().add(identity, *written);
  return include_folders(*written);
}

}  // namespace pycuda::rtc
