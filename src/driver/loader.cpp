// SPDX-License-Identifier: MIT
// Opens a driver library, fills the table from it, and chooses between libraries.
#include "driver/loader.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/dynlib.h"
#include "base/env.h"
#include "base/log.h"

namespace pycuda::driver {
namespace {

using base::Failure;
using base::Result;

constexpr const char* kCpuLibrary = "libcuda_cpu.so";
/// The CPU driver for programs that look for NVIDIA's.
constexpr const char* kNvidiaName = "libcuda.so.1";
/// The CPU driver as the distribution pycuda-anywhere-cpu installs it, seen from the folder that
/// holds this package.
constexpr const char* kCpuDistribution = "pycuda_anywhere_cpu/driver/libcuda.so.1";

/// "cuCtxGetDevice_v2" is a second ABI of "cuCtxGetDevice": the name that cuGetProcAddress knows.
std::string without_version(std::string name) {
  const std::size_t end = name.size();
  if (end > 3 && name[end - 3] == '_' && name[end - 2] == 'v' && name[end - 1] >= '0' &&
      name[end - 1] <= '9') {
    name.resize(end - 3);
  }
  return name;
}

/// Finds functions by exact ABI.
class Symbols {
 public:
  explicit Symbols(const base::DynamicLibrary& library) : library_(library) {
    if (auto* version = library.function<CUresult(int*)>("cuDriverGetVersion")) {
      if (version(&version_) != CUDA_SUCCESS) version_ = 0;
    }
    newer_ = library.function<NewerLookup>("cuGetProcAddress_v2");
    older_ = library.function<OlderLookup>("cuGetProcAddress");
  }

  int driver_version() const { return version_; }

  /// cuGetProcAddress answers with the newest ABI up to a version, so that asking for the very
  /// version in which an ABI appeared gives that ABI. A driver older than it would answer with
  /// another ABI or none, and is not asked: the symbol, whose name belongs to one ABI for good,
  /// then decides.
  void* find(const char* name, const char* symbol, int version) const {
    if (version <= version_) {
      if (void* function = look_up(without_version(name), version)) return function;
    }
    return library_.symbol(symbol);
  }

 private:
  using NewerLookup = CUresult(const char*, void**, int, cuuint64_t,
                               CUdriverProcAddressQueryResult*);
  using OlderLookup = CUresult(const char*, void**, int, cuuint64_t);

  void* look_up(const std::string& name, int version) const {
    void* function = nullptr;
    CUresult code = CUDA_ERROR_NOT_FOUND;
    if (newer_ != nullptr) {
      CUdriverProcAddressQueryResult found{};
      code = newer_(name.c_str(), &function, version, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &found);
    } else if (older_ != nullptr) {
      code = older_(name.c_str(), &function, version, CU_GET_PROC_ADDRESS_LEGACY_STREAM);
    }
    return code == CUDA_SUCCESS ? function : nullptr;
  }

  const base::DynamicLibrary& library_;
  NewerLookup* newer_ = nullptr;
  OlderLookup* older_ = nullptr;
  int version_ = 0;
};

std::string version_text(int version) {
  if (version == 0) return "of unknown version";
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string count_text(int devices) {
  return std::to_string(devices) + (devices == 1 ? " device" : " devices");
}

/// NVIDIA's library, if it can be used; and whether it is there at all.
struct NvidiaAttempt {
  std::optional<LoadedDriver> driver;
  bool present = false;
  std::string why_not;
};

NvidiaAttempt try_nvidia(const std::string& path) {
  NvidiaAttempt attempt;
  Result<LoadedDriver> loaded = load_library(path);
  if (!loaded) {
    attempt.why_not = loaded.error().message;
    return attempt;
  }
  attempt.present = true;
  const DriverTable& table = loaded->table;
  if (const CUresult code = table.cuInit.status(0); code != CUDA_SUCCESS) {
    attempt.why_not = path + ": " + table.cuInit.error(code).what();
    return attempt;
  }
  int devices = 0;
  if (const CUresult code = table.cuDeviceGetCount.status(&devices); code != CUDA_SUCCESS) {
    attempt.why_not = path + ": " + table.cuDeviceGetCount.error(code).what();
    return attempt;
  }
  if (devices == 0) {
    attempt.why_not = path + " sees no device";
    return attempt;
  }
  attempt.driver = std::move(*loaded);
  attempt.driver->reason = path + " sees " + count_text(devices);
  return attempt;
}

/// What to run where the CPU driver is missing.
std::string command_for_cpu_driver(const std::filesystem::path& own_folder) {
  // In a checkout the extension lies in <checkout>/build/<preset>/python/pycuda.
  std::error_code none;
  const std::filesystem::path build = own_folder.parent_path().parent_path();
  const std::filesystem::path checkout = build.parent_path().parent_path();
  if (!own_folder.empty() && std::filesystem::exists(build / "CMakeCache.txt", none) &&
      std::filesystem::exists(checkout / "run", none)) {
    return "`" + (checkout / "run").string() + " build` (with PYCUDA_CPU_DRIVER unset)";
  }
#if defined(__x86_64__) || defined(__aarch64__)
  return "`pip install pycuda-anywhere-cpu`";
#else
  return "`apt-get install llvm-19-dev` and then `pip install --force-reinstall --no-cache-dir "
         "--no-binary pycuda-anywhere pycuda-anywhere`";
#endif
}

Result<LoadedDriver> load_cpu(const std::vector<std::string>& places) {
  std::string reasons;
  for (const std::string& place : places) {
    // A path that names no file says less than the next place's failure.
    if (place.find('/') != std::string::npos && !std::filesystem::exists(place)) continue;
    Result<LoadedDriver> loaded = load_library(place);
    // Under NVIDIA's name there may be NVIDIA's driver.
    if (loaded && loaded->kind != DriverKind::Nvidia) return loaded;
    reasons += (reasons.empty() ? "" : "; ") +
               (loaded ? place + " is not the CPU driver" : loaded.error().message);
  }
  return Failure{reasons};
}

Result<LoadedDriver> choose(const DriverSearch& search, base::LogLevel& level) {
  level = base::LogLevel::Info;
  if (search.choice == "nvidia") {
    Result<LoadedDriver> loaded = load_library(search.nvidia_library);
    if (!loaded) {
      return Failure{"PYCUDA_DRIVER=nvidia asks for NVIDIA's driver, which cannot be loaded (" +
                     loaded.error().message +
                     "): install it (on Debian `apt-get install libcuda1`) or set "
                     "`PYCUDA_DRIVER=cpu`."};
    }
    loaded->reason = "PYCUDA_DRIVER=nvidia";
    return loaded;
  }
  if (search.choice == "cpu") {
    Result<LoadedDriver> loaded = load_cpu(search.cpu_libraries);
    if (!loaded) {
      return Failure{std::string("PYCUDA_DRIVER=cpu asks for the CPU driver, but ") + kCpuLibrary +
                     " cannot be loaded (" + loaded.error().message +
                     "): " + search.cpu_driver_command + " brings it."};
    }
    loaded->reason = "PYCUDA_DRIVER=cpu";
    return loaded;
  }
  if (search.choice != "auto") {
    if (search.choice.find('/') == std::string::npos &&
        search.choice.find(".so") == std::string::npos) {
      return Failure{"PYCUDA_DRIVER=" + search.choice +
                     " is not understood: set it to `auto`, `nvidia`, `cpu` or the path of a "
                     "driver library."};
    }
    Result<LoadedDriver> loaded = load_library(search.choice);
    if (!loaded) {
      return Failure{"PYCUDA_DRIVER names a library that cannot be used (" +
                     loaded.error().message + "): correct the path or `unset PYCUDA_DRIVER`."};
    }
    loaded->reason = "PYCUDA_DRIVER=" + search.choice;
    return loaded;
  }

  NvidiaAttempt nvidia = try_nvidia(search.nvidia_library);
  if (nvidia.driver) return std::move(*nvidia.driver);
  Result<LoadedDriver> loaded = load_cpu(search.cpu_libraries);
  if (!loaded) {
    return Failure{"There is no CUDA driver to use: NVIDIA's cannot be (" + nvidia.why_not +
                   "), nor can the CPU driver (" + loaded.error().message + "), which " +
                   search.cpu_driver_command + " brings."};
  }
  loaded->reason = "no usable NVIDIA driver";
  loaded->passed_over = nvidia.why_not;
  // Whoever hides the devices wants this; whoever has a driver that does not work should hear of
  // it.
  if (nvidia.present && !base::environment("CUDA_VISIBLE_DEVICES")) {
    level = base::LogLevel::Warning;
  }
  return loaded;
}

}  // namespace

std::string LoadedDriver::description() const {
  std::string text = "driver " + library + " (" + version_text(version) + "), because " + reason;
  if (!passed_over.empty()) text += " (" + passed_over + ")";
  return text;
}

DriverSearch default_search() {
  DriverSearch search;
  if (const auto choice = base::environment("PYCUDA_DRIVER"); choice && !choice->empty()) {
    search.choice = *choice;
  }
  // The address of a function of ours tells which file we are part of.
  const std::string own = base::library_of(reinterpret_cast<const void*>(&default_search));
  const std::filesystem::path folder = std::filesystem::path(own).parent_path();
  search.cpu_driver_command = command_for_cpu_driver(folder);
  if (!folder.empty()) {
    search.cpu_libraries.push_back((folder / kCpuLibrary).string());
    search.cpu_libraries.push_back((folder / kNvidiaName).string());
    search.cpu_libraries.push_back((folder.parent_path() / kCpuDistribution).string());
    search.cpu_libraries.push_back((folder / ".." / "lib" / kCpuLibrary).string());
  }
  search.cpu_libraries.emplace_back(kCpuLibrary);
  search.cpu_libraries.emplace_back(kNvidiaName);
  return search;
}

Result<LoadedDriver> load_library(const std::string& path) {
  Result<base::DynamicLibrary> library = base::DynamicLibrary::open(path);
  if (!library) return library.error();
  if (library->symbol("cuInit") == nullptr) {
    return Failure{path + ": is no CUDA driver, it has no cuInit"};
  }
  // Its threads and its callers' handles must outlive everything.
  library->leak();

  const Symbols symbols(*library);
  LoadedDriver loaded;
  loaded.version = symbols.driver_version();
  loaded.library = base::library_of(library->symbol("cuInit"));
  if (loaded.library.empty()) loaded.library = path;
  loaded.functions = loaded.table.fill([&](const char* name, const char* symbol, int version) {
    return symbols.find(name, symbol, version);
  });
  loaded.table.last_fault = library->function<CUresult(char*, std::size_t)>("cuCpuGetLastFault");
  loaded.table.refusal =
      library->function<CUresult(CUresult, char*, std::size_t)>("cuCpuGetRefusal");
  loaded.table.watch_waits =
      library->function<CUresult(const unsigned long long*)>("cuCpuWatchWaits");
  loaded.table.wait_in_slices = library->function<CUresult(int)>("cuCpuWaitInSlices");
  loaded.table.set_last_thread = library->function<CUresult(int)>("cuCpuSetLastThread");
  loaded.table.function_plan =
      library->function<CUresult(char*, std::size_t*, CUfunction, unsigned int, unsigned int,
                                 unsigned int)>("cuCpuFunctionGetPlan");
  loaded.table.is_checked = library->function<CUresult(int*)>("cuCpuIsChecked");
  loaded.table.watch_use =
      library->function<CUresult(CUdeviceptr, const unsigned long long*)>("cuCpuWatchUse");
  loaded.table.set_source =
      library->function<CUresult(CUmodule, const char*, const char*, unsigned int, const char*,
                                 std::size_t)>("cuCpuModuleSetSource");
  // The CPU driver may bear NVIDIA's name, so that programs find it: its own function tells it
  // apart.
  if (loaded.table.last_fault != nullptr) {
    loaded.kind = DriverKind::Cpu;
    // Errors carry the text: the driver need not print it as well.
    static_cast<void>(loaded.table.last_fault(nullptr, 0));
    if (loaded.table.refusal != nullptr)
      static_cast<void>(loaded.table.refusal(CUDA_SUCCESS, nullptr, 0));
  } else if (std::filesystem::path(path).filename().string().starts_with("libcuda.so")) {
    loaded.kind = DriverKind::Nvidia;
    loaded.table.keeps_code_on_device = true;
  }
  return loaded;
}

Result<LoadedDriver> load_driver(const DriverSearch& search) {
  base::LogLevel level = base::LogLevel::Info;
  Result<LoadedDriver> loaded = choose(search, level);
  if (loaded) base::log(level, loaded->description());
  return loaded;
}

}  // namespace pycuda::driver
