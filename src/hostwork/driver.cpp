// SPDX-License-Identifier: MIT
#include "hostwork/driver.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/dynlib.h"
#include "base/log.h"

namespace pycuda::hostwork {
namespace {

using base::DynamicLibrary;

template <class Pointer>
bool resolve(const DynamicLibrary& library, const char* name, Pointer& slot) {
  slot = reinterpret_cast<Pointer>(library.symbol(name));
  return slot != nullptr;
}

bool resolve_all(const DynamicLibrary& library, Driver& driver) {
  return resolve(library, "cuInit", driver.init) &&
         resolve(library, "cuCtxGetCurrent", driver.current) &&
         resolve(library, "cuCtxSetCurrent", driver.set_current) &&
         resolve(library, "cuDevicePrimaryCtxRetain", driver.retain_primary) &&
         resolve(library, "cuDeviceGetName", driver.device_name) &&
         resolve(library, "cuCtxGetDevice", driver.device) &&
         resolve(library, "cuLaunchHostFunc", driver.launch) &&
         resolve(library, "cuStreamSynchronize", driver.synchronize) &&
         resolve(library, "cuStreamIsCapturing", driver.is_capturing) &&
         resolve(library, "cuPointerGetAttributes", driver.pointer) &&
         resolve(library, "cuMemcpyAsync", driver.copy) &&
         resolve(library, "cuMemcpy2DAsync_v2", driver.copy_2d);
}

/// The driver beside this library, by either name; else the one that the loader finds.
base::Result<DynamicLibrary> open_driver() {
  const std::filesystem::path own =
      base::library_of(reinterpret_cast<const void*>(&is_device_memory));
  for (const char* name : {"libcuda.so.1", "libcuda_cpu.so"}) {
    auto library = DynamicLibrary::open((own.parent_path() / name).native());
    if (library) return library;
  }
  return DynamicLibrary::open("libcuda.so.1");
}

std::optional<Driver> load() {
  auto library = open_driver();
  if (!library) {
    base::log(base::LogLevel::Warning, library.error().message);
    return std::nullopt;
  }
  library->leak();
  Driver driver;
  driver.is_cpu = library->symbol("cuCpuGetLastFault") != nullptr;
  if (!driver.is_cpu || !resolve_all(*library, driver)) {
    base::log(base::LogLevel::Warning,
              library->path() + " is not the CPU driver: on a GPU use NVIDIA's libraries");
    return std::nullopt;
  }
  if (driver.init(0) != CUDA_SUCCESS) return std::nullopt;
  return driver;
}

}  // namespace

const Driver* driver() {
  static const auto& loaded = *new std::optional<Driver>(load());
  return loaded ? &*loaded : nullptr;
}

CUcontext context_of_thread() {
  const Driver* const cuda = driver();
  CUcontext context = nullptr;
  if (cuda == nullptr) return nullptr;
  if (cuda->current(&context) == CUDA_SUCCESS && context != nullptr) return context;
  if (cuda->retain_primary(&context, 0) != CUDA_SUCCESS) return nullptr;
  return cuda->set_current(context) == CUDA_SUCCESS ? context : nullptr;
}

bool is_device_memory(const void* address, std::uint64_t bytes) {
  if (bytes == 0) return true;
  CUdeviceptr start = 0;
  std::size_t size = 0;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                      CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  void* values[] = {&start, &size};
  const auto place = reinterpret_cast<CUdeviceptr>(address);
  if (driver()->pointer(2, attributes, values, place) != CUDA_SUCCESS || start == 0) return false;
  return bytes <= size && place - start <= size - bytes;
}

}  // namespace pycuda::hostwork
