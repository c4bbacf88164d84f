// SPDX-License-Identifier: MIT
#include "curand/nvidia_library.h"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/log.h"
#include "base/read_file.h"

namespace pycuda::curand {
namespace {

namespace fs = std::filesystem;

/// What the wheels of the Python that runs this process contain.
std::vector<std::string> candidates() {
  std::vector<std::string> paths;
  const std::string command = base::read_file("/proc/self/cmdline").value_or("");
  const std::string program(command.c_str());
  std::error_code error;
  if (program.find('/') != std::string::npos) {
    const fs::path libraries = fs::path(program).parent_path().parent_path() / "lib";
    for (fs::directory_iterator python(libraries, error), end; !error && python != end;
         python.increment(error)) {
      const fs::path vendor = python->path() / "site-packages" / "nvidia";
      for (fs::directory_iterator part(vendor, error); !error && part != end; part.increment(error))
        paths.push_back((part->path() / "lib" / "libcurand.so.10").native());
      error.clear();
    }
  }
  paths.emplace_back("/usr/local/cuda/lib64/libcurand.so.10");
  return paths;
}

std::optional<base::DynamicLibrary> load() {
  for (const std::string& path : candidates()) {
    std::error_code error;
    if (!fs::exists(path, error)) continue;
    auto library = base::DynamicLibrary::open(path);
    if (!library) continue;
    library->leak();
    return std::move(*library);
  }
  base::log(base::LogLevel::Warning,
            "stand-ins for CUDA's libraries: Sobol's numbers and those of MTGP32 need NVIDIA's "
            "libcurand: `pip install nvidia-curand` brings it");
  return std::nullopt;
}

}  // namespace

const base::DynamicLibrary* nvidia_library() {
  static const auto& found = *new std::optional<base::DynamicLibrary>(load());
  return found ? &*found : nullptr;
}

}  // namespace pycuda::curand
