// SPDX-License-Identifier: MIT
// Initialisation, cudaSetDevice and cudaDeviceReset.
#include "cudart/current_device.h"

#include <atomic>
#include <map>
#include <mutex>

#include "base/log.h"
#include "cudart/call.h"
#include "driver/process_driver.h"

namespace pycuda::cudart {
namespace {

/// What all threads share. Never destroyed: destructors of the program's objects still call us.
struct Process {
  std::mutex lock;
  std::map<int, CUcontext> primaries;
};

Process& process() {
  static auto* shared = new Process;
  return *shared;
}

/// Counts resets: a thread whose binding is older binds again.
std::atomic<unsigned> resets{0};

struct ThreadBinding {
  int device = 0;
  CUcontext context = nullptr;
  unsigned resets = 0;
};
thread_local ThreadBinding binding;

cudaError_t initialise(const DriverTable** table) {
  const DriverTable* loaded = nullptr;
  try {
    loaded = &driver::process_driver();
  } catch (const driver::DriverUnavailable& missing) {
    base::log(base::LogLevel::Warning, missing.what());
    return cudaErrorInsufficientDriver;
  }
  const CUresult code = loaded->cuInit.status(0);
  if (code == CUDA_SUCCESS) *table = loaded;
  return to_runtime(code);
}

cudaError_t bind_device(const DriverTable& driver, int device) {
  CUcontext context = nullptr;
  const cudaError_t status = primary_context(driver, device, &context);
  if (status != cudaSuccess) return status;
  const CUresult code = driver.cuCtxSetCurrent.status(context);
  if (code == CUDA_SUCCESS) {
    binding = {device, context, resets.load(std::memory_order_acquire)};
  }
  return to_runtime(code);
}

}  // namespace

cudaError_t initialised_driver(const DriverTable** driver) {
  static std::atomic<const DriverTable*> ready{nullptr};
  *driver = ready.load(std::memory_order_acquire);
  if (*driver != nullptr) return cudaSuccess;
  const cudaError_t status = initialise(driver);
  if (status == cudaSuccess) ready.store(*driver, std::memory_order_release);
  return status;
}

cudaError_t bind_context(const DriverTable& driver) {
  CUcontext context = nullptr;
  const CUresult code = driver.cuCtxGetCurrent.status(&context);
  if (code != CUDA_SUCCESS) return to_runtime(code);
  const bool outdated =
      context == binding.context && binding.resets != resets.load(std::memory_order_acquire);
  if (context != nullptr && !outdated) return cudaSuccess;
  return bind_device(driver, binding.device);
}

cudaError_t current_device(const DriverTable& driver, int* device) {
  CUcontext context = nullptr;
  const CUresult code = driver.cuCtxGetCurrent.status(&context);
  if (code != CUDA_SUCCESS) return to_runtime(code);
  if (context == nullptr || context == binding.context) {
    *device = binding.device;
    return cudaSuccess;
  }
  return to_runtime(driver.cuCtxGetDevice.status(device));
}

cudaError_t checked_device(const DriverTable& driver, int ordinal) {
  int count = 0;
  const CUresult code = driver.cuDeviceGetCount.status(&count);
  if (code != CUDA_SUCCESS) return to_runtime(code);
  if (count == 0) return cudaErrorNoDevice;
  return ordinal >= 0 && ordinal < count ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t primary_context(const DriverTable& driver, int device, CUcontext* context) {
  const cudaError_t valid = checked_device(driver, device);
  if (valid != cudaSuccess) return valid;
  Process& shared = process();
  const std::lock_guard guard(shared.lock);
  const auto found = shared.primaries.find(device);
  if (found != shared.primaries.end()) {
    *context = found->second;
    return cudaSuccess;
  }
  const CUresult code = driver.cuDevicePrimaryCtxRetain.status(context, device);
  if (code == CUDA_SUCCESS) shared.primaries[device] = *context;
  return to_runtime(code);
}

namespace {

cudaError_t reset_device(const DriverTable& driver) {
  int device = 0;
  const cudaError_t status = current_device(driver, &device);
  if (status != cudaSuccess) return status;
  {
    Process& shared = process();
    const std::lock_guard guard(shared.lock);
    if (shared.primaries.erase(device) != 0) {
      (void)driver.cuDevicePrimaryCtxRelease.status(device);
    }
  }
  const CUresult code = driver.cuDevicePrimaryCtxReset.status(device);
  resets.fetch_add(1, std::memory_order_acq_rel);
  (void)driver.cuCtxSetCurrent.status(nullptr);
  binding.context = nullptr;
  return to_runtime(code);
}

constexpr unsigned schedule_and_map_flags =
    cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops;

}  // namespace
}  // namespace pycuda::cudart

using namespace pycuda::cudart;

CUDART_API cudaSetDevice(int device) {
  return with_driver("cudaSetDevice",
                     [&](const DriverTable& driver) { return bind_device(driver, device); });
}

CUDART_API cudaGetDevice(int* device) {
  return with_driver("cudaGetDevice", [&](const DriverTable& driver) -> cudaError_t {
    return device == nullptr ? cudaErrorInvalidValue : current_device(driver, device);
  });
}

CUDART_API cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags) {
  return with_driver("cudaInitDevice", [&](const DriverTable& driver) -> cudaError_t {
    const cudaError_t valid = checked_device(driver, device);
    if (valid != cudaSuccess) return valid;
    if ((flags & cudaInitDeviceFlagsAreValid) != 0) {
      const CUresult code = driver.cuDevicePrimaryCtxSetFlags.status(
          device, deviceFlags & schedule_and_map_flags & ~unsigned{cudaDeviceMapHost});
      if (code != CUDA_SUCCESS) return to_runtime(code);
    }
    CUcontext context = nullptr;
    return primary_context(driver, device, &context);
  });
}

CUDART_API cudaDeviceReset(void) {
  const cudaError_t status = with_driver("cudaDeviceReset", reset_device);
  if (status == cudaSuccess) clear_last_error();
  return status;
}

CUDART_API cudaDeviceSynchronize(void) {
  return forward("cudaDeviceSynchronize", &DriverTable::cuCtxSynchronize);
}

CUDART_API cudaSetDeviceFlags(unsigned int flags) {
  return with_driver("cudaSetDeviceFlags", [&](const DriverTable& driver) -> cudaError_t {
    if ((flags & ~schedule_and_map_flags) != 0) return cudaErrorInvalidValue;
    int device = 0;
    const cudaError_t status = current_device(driver, &device);
    if (status != cudaSuccess) return status;
    // Mapping host memory is always possible and no flag of a primary context.
    return to_runtime(
        driver.cuDevicePrimaryCtxSetFlags.status(device, flags & ~unsigned{cudaDeviceMapHost}));
  });
}

CUDART_API cudaGetDeviceFlags(unsigned int* flags) {
  return with_driver("cudaGetDeviceFlags", [&](const DriverTable& driver) -> cudaError_t {
    if (flags == nullptr) return cudaErrorInvalidValue;
    int device = 0;
    int active = 0;
    const cudaError_t status = current_device(driver, &device);
    if (status != cudaSuccess) return status;
    const CUresult code = driver.cuDevicePrimaryCtxGetState.status(device, flags, &active);
    if (code == CUDA_SUCCESS) *flags |= cudaDeviceMapHost;
    return to_runtime(code);
  });
}

CUDART_API cudaSetValidDevices(int* device_arr, int len) {
  return with_driver("cudaSetValidDevices", [&](const DriverTable& driver) -> cudaError_t {
    if (len < 0 || (len > 0 && device_arr == nullptr)) return cudaErrorInvalidValue;
    for (int i = 0; i < len; ++i) {
      const cudaError_t valid = checked_device(driver, device_arr[i]);
      if (valid != cudaSuccess) return valid;
    }
    // The first of them is the device of threads that choose none.
    if (len > 0 && binding.context == nullptr) binding.device = device_arr[0];
    return cudaSuccess;
  });
}
