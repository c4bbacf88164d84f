// SPDX-License-Identifier: MIT
#include "hostblas/library.h"

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

namespace pycuda::hostblas {
namespace {

namespace fs = std::filesystem;

/// How a library's functions are named: CBLAS's with a prefix of their own, Fortran's with a `_`.
struct Interface {
  const char* what;
  const char* prefix;
  const char* suffix;
  const char* known;  ///< a function that every library with the interface has
};
constexpr Interface kCblas{"BLAS", "cblas_", "", "dgemm"};
constexpr Interface kFortran{"LAPACK", "", "_", "dpotrf"};

struct Library {
  base::DynamicLibrary file;
  std::string prefix, suffix;
  bool wide = false;

  void* find(const std::string& name) const {
    return file.symbol((prefix + name + suffix).c_str());
  }
};

/// SciPy's builds of OpenBLAS put a prefix before all names, those with 64-bit sizes a suffix
/// after.
constexpr std::pair<const char*, const char*> kSpellings[] = {
    {"scipy_", "64_"}, {"", "64_"}, {"scipy_", ""}, {"", ""}};

std::optional<Library> open(const std::string& path, const Interface& names) {
  auto file = base::DynamicLibrary::open(path);
  if (!file) return std::nullopt;
  for (const auto& [before, after] : kSpellings) {
    const std::string prefix = std::string(before) + names.prefix;
    const std::string suffix = std::string(names.suffix) + after;
    if (file->symbol((prefix + names.known + suffix).c_str()) == nullptr) continue;
    file->leak();  // it has threads
    return Library{std::move(file).value(), prefix, suffix, *after != '\0'};
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

std::optional<Library> find(const Interface& names) {
  const auto named = base::environment("PYCUDA_OPENBLAS");
  std::vector<std::string> paths;
  if (named && !named->empty()) paths.push_back(*named);
  add_of_interpreter(paths);
  for (const char* name : {"libopenblas64_.so.0", "libopenblas64.so.0", "libopenblas.so.0",
                           "libcblas.so.3", "libblis.so.4", "liblapack.so.3"})
    paths.emplace_back(name);
  for (const std::string& path : paths) {
    if (auto library = open(path, names)) {
      base::log(base::LogLevel::Info,
                std::string("stand-ins for CUDA's libraries: ") + names.what + " is " + path);
      return library;
    }
  }
  base::log(base::LogLevel::Warning,
            std::string("stand-ins for CUDA's libraries: no OpenBLAS with ") + names.what +
                " was found: `pip install numpy` brings it, or "
                "PYCUDA_OPENBLAS=<path of libopenblas.so> names one");
  return std::nullopt;
}

const std::optional<Library>& blas_library() {
  static const auto& found = *new std::optional<Library>(find(kCblas));
  return found;
}

const std::optional<Library>& lapack_library() {
  static const auto& found = *new std::optional<Library>(find(kFortran));
  return found;
}

}  // namespace

bool has_blas() { return blas_library().has_value(); }
bool blas_is_wide() { return has_blas() && blas_library()->wide; }

Function blas_function(const std::string& name) {
  void* const address = has_blas() ? blas_library()->find(name) : nullptr;
  if (address == nullptr) throw Missing{"cblas_" + name};
  return {address, blas_library()->wide};
}

bool has_lapack() { return lapack_library().has_value(); }
bool lapack_is_wide() { return has_lapack() && lapack_library()->wide; }

void* lapack_function(const std::string& name) {
  void* const address = has_lapack() ? lapack_library()->find(name) : nullptr;
  if (address == nullptr) throw Missing{name};
  return address;
}

}  // namespace pycuda::hostblas
