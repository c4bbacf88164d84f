// SPDX-License-Identifier: MIT
#include "curand/tables.h"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/dynlib.h"
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

template <class T>
bool resolve(const base::DynamicLibrary& library, const char* name, int set, const T*& vectors) {
  auto* const get = library.function<int(const T**, int)>(name);
  return get != nullptr && get(&vectors, set) == 0;
}
template <class T>
bool resolve(const base::DynamicLibrary& library, const char* name, const T*& constants) {
  auto* const get = library.function<int(const T**)>(name);
  return get != nullptr && get(&constants) == 0;
}

std::optional<Tables> load() {
  for (const std::string& path : candidates()) {
    std::error_code error;
    if (!fs::exists(path, error)) continue;
    auto library = base::DynamicLibrary::open(path);
    Tables found{};
    if (!library || !resolve(*library, "curandGetDirectionVectors32", 101, found.vectors32[0]) ||
        !resolve(*library, "curandGetDirectionVectors32", 102, found.vectors32[1]) ||
        !resolve(*library, "curandGetDirectionVectors64", 103, found.vectors64[0]) ||
        !resolve(*library, "curandGetDirectionVectors64", 104, found.vectors64[1]) ||
        !resolve(*library, "curandGetScrambleConstants32", found.constants32) ||
        !resolve(*library, "curandGetScrambleConstants64", found.constants64))
      continue;
    library->leak();
    return found;
  }
  base::log(
      base::LogLevel::Warning,
      "stand-ins for CUDA's libraries: Sobol's numbers need the tables of NVIDIA's libcurand: "
      "`pip install nvidia-curand` brings it");
  return std::nullopt;
}

}  // namespace

const Tables* tables() {
  static const auto& found = *new std::optional<Tables>(load());
  return found ? &*found : nullptr;
}

}  // namespace pycuda::curand
