// SPDX-License-Identifier: MIT
#include "cublas/blas_library.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/dynlib.h"
#include "base/env.h"
#include "base/log.h"
#include "base/read_file.h"

namespace pycuda::cublas {
namespace {

namespace fs = std::filesystem;

struct Library {
  base::DynamicLibrary file;
  std::string prefix, suffix;
  bool wide = false;
};

/// How builds of OpenBLAS name CBLAS's functions: SciPy's builds have a prefix, those with 64-bit
/// sizes a suffix.
constexpr std::pair<const char*, const char*> kSpellings[] = {
    {"scipy_cblas_", "64_"}, {"cblas_", "64_"}, {"scipy_cblas_", ""}, {"cblas_", ""}};

std::optional<Library> open(const std::string& path) {
  auto file = base::DynamicLibrary::open(path);
  if (!file) return std::nullopt;
  for (const auto& [prefix, suffix] : kSpellings) {
    if (file->symbol((std::string(prefix) + "dgemm" + suffix).c_str()) == nullptr) continue;
    file->leak();  // it has threads
    return Library{std::move(file).value(), prefix, suffix, *suffix != '\0'};
  }
  return std::nullopt;
}

void add_libraries(const fs::path& folder, std::vector<std::string>& paths) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().native().find("openblas") != std::string::npos)
      found.push_back(entry->path().native());
  }
  std::ranges::sort(found);
  paths.insert(paths.end(), found.begin(), found.end());
}

/// The libraries that NumPy's and SciPy's wheels carry, in the Python that runs this process.
void add_of_interpreter(std::vector<std::string>& paths) {
  // The program's name ends with a NUL; arguments follow.
  const std::string command = base::read_file("/proc/self/cmdline").value_or("");
  const std::string program(command.c_str());
  if (program.find('/') == std::string::npos) return;
  std::error_code error;
  const fs::path libraries = fs::path(program).parent_path().parent_path() / "lib";
  for (fs::directory_iterator entry(libraries, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().native().starts_with("python3")) continue;
    for (const char* wheel : {"numpy.libs", "scipy.libs"})
      add_libraries(entry->path() / "site-packages" / wheel, paths);
  }
}

std::optional<Library> find() {
  const auto named = base::environment("PYCUDA_OPENBLAS");
  std::vector<std::string> paths;
  if (named && !named->empty()) paths.push_back(*named);
  add_of_interpreter(paths);
  for (const char* name : {"libopenblas64_.so.0", "libopenblas64.so.0", "libopenblas.so.0",
                           "libcblas.so.3", "libblis.so.4"})
    paths.emplace_back(name);
  for (const std::string& path : paths) {
    if (auto library = open(path)) {
      base::log(base::LogLevel::Info, "stand-in for cuBLAS: computes with " + path);
      return library;
    }
  }
  base::log(base::LogLevel::Warning,
            "stand-in for cuBLAS: OpenBLAS was not found: `pip install numpy` brings it, or "
            "PYCUDA_OPENBLAS=<path of libopenblas.so> names one");
  return std::nullopt;
}

const std::optional<Library>& library() {
  static const auto& found = *new std::optional<Library>(find());
  return found;
}

}  // namespace

bool has_blas() { return library().has_value(); }

bool blas_is_wide() { return library() && library()->wide; }

Function blas_function(const std::string& name) {
  const auto& found = library();
  void* const address =
      found ? found->file.symbol((found->prefix + name + found->suffix).c_str()) : nullptr;
  if (address == nullptr) throw Missing{"cblas_" + name};
  return {address, found->wide};
}

}  // namespace pycuda::cublas
