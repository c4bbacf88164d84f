// SPDX-License-Identifier: MIT
// NVML: sets of events. A device reports critical errors (XIDs): faults of kernels that this
// process launched. Of other processes it knows nothing.
#include <cuda.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "base/dynlib.h"
#include "standins/nvml_state.h"

using namespace pycuda::standins;

namespace {

constexpr unsigned long long xid_errors = 8;  // nvmlEventTypeXidCriticalError
constexpr auto pause_between_looks = std::chrono::milliseconds(2);

using GetFault = CUresult(unsigned long long, int*, CUresult*, unsigned long long*);

/// The driver's list of faults; null where the driver has none.
GetFault* faults_of(const NvmlDriver& driver) {
  auto library = pycuda::base::DynamicLibrary::open(driver.library);
  if (!library) return nullptr;
  library->leak();
  return library->function<GetFault>("cuCpuGetFault");
}

unsigned long long count_faults(GetFault* get) {
  int device = 0;
  CUresult error = CUDA_SUCCESS;
  unsigned long long count = 0;
  return get != nullptr && get(0, &device, &error, &count) == CUDA_SUCCESS ? count : 0;
}

/// NVIDIA's number of the error: memory that is not there, a launch that takes too long, or another
/// exception of a kernel.
unsigned long long xid_of(CUresult error) {
  switch (error) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      return 31;
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return 8;
    default:
      return 13;
  }
}

struct Registration {
  unsigned long long types = 0;
  unsigned long long next_fault = 0;  ///< those before it are older than the registration
};

struct EventSet {
  std::mutex mutex;                          ///< protects the rest
  std::map<unsigned, Registration> devices;  ///< by index
};

struct EventSets {
  std::mutex mutex;  ///< protects the rest
  std::map<std::uintptr_t, std::shared_ptr<EventSet>> sets;
  std::uintptr_t last = 0;
};

EventSets& all_sets() {
  static auto& all = *new EventSets;
  return all;
}

using SetHandle = void*;

std::shared_ptr<EventSet> find_set(SetHandle handle) {
  EventSets& all = all_sets();
  const std::lock_guard lock(all.mutex);
  const auto found = all.sets.find(reinterpret_cast<std::uintptr_t>(handle));
  return found != all.sets.end() ? found->second : nullptr;
}

/// The oldest fault that a device of the set reports, which is reported once.
bool take_event(const NvmlDriver& driver, GetFault* get, EventSet& set, nvmlEventData_t* data) {
  const unsigned long long count = count_faults(get);
  const std::lock_guard lock(set.mutex);
  unsigned long long oldest = count;
  for (const auto& [index, one] : set.devices) {
    if ((one.types & xid_errors) != 0) oldest = std::min(oldest, one.next_fault);
  }
  for (unsigned long long number = oldest; number < count; ++number) {
    int device = 0;
    CUresult error = CUDA_SUCCESS;
    unsigned long long now = 0;
    if (get(number, &device, &error, &now) != CUDA_SUCCESS) return false;
    const auto found = set.devices.find(static_cast<unsigned>(device));
    if (found == set.devices.end() || (found->second.types & xid_errors) == 0 ||
        number < found->second.next_fault)
      continue;
    found->second.next_fault = number + 1;
    *data = {handle_of(driver.devices[found->first]), xid_errors, xid_of(error), no_instance,
             no_instance};
    return true;
  }
  return false;
}

nvmlReturn_t wait_for_event(SetHandle handle, nvmlEventData_t* data, unsigned milliseconds) {
  return with_nvml([&](const NvmlDriver& driver) -> nvmlReturn_t {
    const std::shared_ptr<EventSet> set = find_set(handle);
    if (set == nullptr || data == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    GetFault* const get = faults_of(driver);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (!take_event(driver, get, *set, data)) {
      if (std::chrono::steady_clock::now() >= end) return NVML_ERROR_TIMEOUT;
      std::this_thread::sleep_for(pause_between_looks);
    }
    return NVML_SUCCESS;
  });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlEventSetCreate(SetHandle* handle) {
  return with_nvml([&](const NvmlDriver&) -> nvmlReturn_t {
    if (handle == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    EventSets& all = all_sets();
    const std::lock_guard lock(all.mutex);
    all.sets.emplace(++all.last, std::make_shared<EventSet>());
    *handle = reinterpret_cast<SetHandle>(all.last);  // NOLINT(performance-no-int-to-ptr)
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlEventSetFree(SetHandle handle) {
  return with_nvml([&](const NvmlDriver&) -> nvmlReturn_t {
    EventSets& all = all_sets();
    const std::lock_guard lock(all.mutex);
    return all.sets.erase(reinterpret_cast<std::uintptr_t>(handle)) != 0
               ? NVML_SUCCESS
               : NVML_ERROR_INVALID_ARGUMENT;
  });
}

nvmlReturn_t nvmlDeviceGetSupportedEventTypes(NvmlHandle handle, unsigned long long* types) {
  return with_device(handle, [&](const NvmlDevice&) { return give(types, xid_errors); });
}

nvmlReturn_t nvmlDeviceRegisterEvents(NvmlHandle handle, unsigned long long types,
                                      SetHandle set_handle) {
  return with_nvml([&](const NvmlDriver& driver) {
    return with_device(handle, [&](const NvmlDevice& device) -> nvmlReturn_t {
      const std::shared_ptr<EventSet> set = find_set(set_handle);
      if (set == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
      if ((types & ~xid_errors) != 0) return NVML_ERROR_NOT_SUPPORTED;
      const unsigned long long faults = count_faults(faults_of(driver));
      const std::lock_guard lock(set->mutex);
      const auto [one, is_new] = set->devices.try_emplace(device.index, Registration{0, faults});
      // What was registered before stays, with the events that wait.
      if (one->second.types == 0) one->second.next_fault = faults;
      one->second.types |= types;
      return NVML_SUCCESS;
    });
  });
}

nvmlReturn_t nvmlEventSetWait_v2(SetHandle handle, nvmlEventData_t* data, unsigned milliseconds) {
  return wait_for_event(handle, data, milliseconds);
}

nvmlReturn_t nvmlEventSetWait(SetHandle handle, nvmlEventData_v1_t* data, unsigned milliseconds) {
  nvmlEventData_t event{};
  const nvmlReturn_t result =
      wait_for_event(handle, data != nullptr ? &event : nullptr, milliseconds);
  if (result == NVML_SUCCESS) *data = {event.device, event.eventType, event.eventData};
  return result;
}

}  // extern "C"
