// SPDX-License-Identifier: MIT
// cuDeviceRegisterAsyncNotification: functions that are called when the system asks a process to
// use less device memory. No system asks that of the host's memory, so they are only kept.
#include <map>
#include <memory>
#include <mutex>

#include "cpu/api/entry_guard.h"
#include "cpu/api/virtual_device.h"

using namespace pycuda::cpu::api;

namespace {

struct Registration {
  CUdevice device;
};

struct Registrations {
  std::mutex mutex;  ///< protects the rest
  std::map<CUasyncCallbackHandle, std::unique_ptr<Registration>> all;
};

Registrations& registrations() {
  static auto& all = *new Registrations;
  return all;
}

}  // namespace

extern "C" {

CUresult cuDeviceRegisterAsyncNotification(CUdevice device, CUasyncCallback callbackFunc, void*,
                                           CUasyncCallbackHandle* callback) {
  return with_driver([&]() -> CUresult {
    if (callbackFunc == nullptr || callback == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (find_device(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    auto made = std::make_unique<Registration>(device);
    const auto handle = reinterpret_cast<CUasyncCallbackHandle>(made.get());
    Registrations& known = registrations();
    const std::lock_guard lock(known.mutex);
    known.all.emplace(handle, std::move(made));
    *callback = handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceUnregisterAsyncNotification(CUdevice device, CUasyncCallbackHandle callback) {
  return with_driver([&]() -> CUresult {
    if (find_device(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    Registrations& known = registrations();
    const std::lock_guard lock(known.mutex);
    const auto found = known.all.find(callback);
    if (found == known.all.end() || found->second->device != device)
      return CUDA_ERROR_INVALID_VALUE;
    known.all.erase(found);
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
