// SPDX-License-Identifier: MIT
// Initialisation, cudaSetDevice and cudaDeviceReset.
#include "cudart/current_device.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <vector>

#include "base/log.h"
#include "cudart/call.h"
#include "cudart/registered_code.h"
#include "driver/process_driver.h"

namespace pycuda::cudart {
namespace {

/// What all threads share. Never destroyed: destructors of the program's objects still call us.
struct Process {
  std::mutex lock;
  std::map<int, CUcontext> primaries;
  /// Of cudaSetValidDevices: what threads try that choose no device. Empty: all devices in order.
  std::vector<int> candidates;
};

Process& process() {
  static auto* shared = new Process;
  return *shared;
}

/// Counts resets: a thread whose binding is older binds again.
std::atomic<unsigned> resets{0};

struct ThreadBinding {
  /// That the thread has chosen or, at its first use of a device, been given.
  std::optional<int> device;
  CUcontext context = nullptr;
  unsigned resets = 0;
};
thread_local ThreadBinding binding;

cudaError_t initialise(const DriverTable** table) {
  const DriverTable* loaded = nullptr;
  try {
    loaded = &driver::process_driver();
  } catch (const driver::DriverUnavailable& missing) {
    // A driver may be installed later, so every call looks for one; the log says it once.
    static std::atomic<bool> said{false};
    if (!said.exchange(true)) base::log(base::LogLevel::Warning, missing.what());
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
  if (code != CUDA_SUCCESS) return to_runtime(code);
  binding = {device, context, resets.load(std::memory_order_acquire)};
  return cudaSuccess;
}

std::vector<int> candidates(const DriverTable& driver) {
  {
    Process& shared = process();
    const std::lock_guard guard(shared.lock);
    if (!shared.candidates.empty()) return shared.candidates;
  }
  int count = 0;
  (void)driver.cuDeviceGetCount.status(&count);
  std::vector<int> all(static_cast<size_t>(std::max(count, 1)));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The first candidate that works, for a thread that has chosen none.
cudaError_t bind_any_device(const DriverTable& driver) {
  cudaError_t first = cudaSuccess;
  for (const int device : candidates(driver)) {
    const cudaError_t status = bind_device(driver, device);
    if (status == cudaSuccess) return status;
    if (first == cudaSuccess) first = status;
  }
  return first;
}

}  // namespace

cudaError_t is_foreign_context(const DriverTable& driver, bool* foreign) {
  CUcontext context = nullptr;
  CUresult code = driver.cuCtxGetCurrent.status(&context);
  *foreign = false;
  if (code != CUDA_SUCCESS || context == nullptr || context == binding.context) {
    return to_runtime(code);
  }
  int device = 0;
  code = driver.cuCtxGetDevice.status(&device);
  if (code != CUDA_SUCCESS) return to_runtime(code);
  unsigned flags = 0;
  int active = 0;
  code = driver.cuDevicePrimaryCtxGetState.status(device, &flags, &active);
  *foreign = active == 0;
  if (code != CUDA_SUCCESS || *foreign) return to_runtime(code);
  CUcontext primary = nullptr;
  code = driver.cuDevicePrimaryCtxRetain.status(&primary, device);
  if (code != CUDA_SUCCESS) return to_runtime(code);
  *foreign = primary != context;
  return to_runtime(driver.cuDevicePrimaryCtxRelease.status(device));
}

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
  return binding.device ? bind_device(driver, *binding.device) : bind_any_device(driver);
}

cudaError_t current_device(const DriverTable& driver, int* device) {
  CUcontext context = nullptr;
  const CUresult code = driver.cuCtxGetCurrent.status(&context);
  if (code != CUDA_SUCCESS) return to_runtime(code);
  if (context == nullptr || context == binding.context) {
    *device = binding.device ? *binding.device : candidates(driver).front();
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
  bool foreign = false;
  cudaError_t status = current_device(driver, &device);
  if (status == cudaSuccess) status = is_foreign_context(driver, &foreign);
  // The program's own context is the program's to destroy.
  if (status != cudaSuccess || foreign) return status;
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

/// Flags of a device as those of its primary context; the scheduling ones exclude each other.
cudaError_t to_context_flags(unsigned flags, unsigned* same) {
  constexpr unsigned known =
      cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops;
  const unsigned schedule = flags & cudaDeviceScheduleMask;
  if ((flags & ~known) != 0 || (schedule & (schedule - 1)) != 0) return cudaErrorInvalidValue;
  // Mapping host memory is always possible and no flag of a primary context.
  *same = flags & ~unsigned{cudaDeviceMapHost};
  return cudaSuccess;
}

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
    if ((flags & ~unsigned{cudaInitDeviceFlagsAreValid}) != 0) return cudaErrorInvalidValue;
    if (flags != 0) {
      unsigned same = 0;
      const cudaError_t known = to_context_flags(deviceFlags, &same);
      if (known != cudaSuccess) return known;
      const CUresult code = driver.cuDevicePrimaryCtxSetFlags.status(device, same);
      if (code != CUDA_SUCCESS) return to_runtime(code);
    }
    CUcontext context = nullptr;
    return primary_context(driver, device, &context);
  });
}

CUDART_API cudaDeviceReset(void) {
  const OnlyCall only;
  const cudaError_t status = with_driver("cudaDeviceReset", reset_device);
  if (status == cudaSuccess) clear_last_error();
  return status;
}

CUDART_API cudaDeviceSynchronize(void) {
  return forward("cudaDeviceSynchronize", &DriverTable::cuCtxSynchronize);
}

CUDART_API cudaSetDeviceFlags(unsigned int flags) {
  return with_driver("cudaSetDeviceFlags", [&](const DriverTable& driver) -> cudaError_t {
    unsigned same = 0;
    int device = 0;
    cudaError_t status = to_context_flags(flags, &same);
    if (status == cudaSuccess) status = current_device(driver, &device);
    if (status != cudaSuccess) return status;
    return to_runtime(driver.cuDevicePrimaryCtxSetFlags.status(device, same));
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
    int count = 0;
    const CUresult code = driver.cuDeviceGetCount.status(&count);
    if (code != CUDA_SUCCESS) return to_runtime(code);
    if (len < 0 || len > count || (len > 0 && device_arr == nullptr)) return cudaErrorInvalidValue;
    for (int i = 0; i < len; ++i) {
      const cudaError_t valid = checked_device(driver, device_arr[i]);
      if (valid != cudaSuccess) return valid;
    }
    Process& shared = process();
    const std::lock_guard guard(shared.lock);
    shared.candidates.assign(device_arr, device_arr + len);
    return cudaSuccess;
  });
}
