// SPDX-License-Identifier: MIT
// NVML: sets of events of the whole system: a driver takes a device, or leaves it. A CPU device is
// there from the program's start to its end, so a set waits until its time is up.
#include <chrono>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>

#include "standins/nvml_state.h"

using namespace pycuda::standins;

namespace {

constexpr unsigned long long known_types = 3;  // unbind, bind

struct SystemSets {
  std::mutex mutex;  ///< protects the rest
  std::set<std::uintptr_t> sets;
  std::uintptr_t last = 0;
};

SystemSets& all_system_sets() {
  static auto& all = *new SystemSets;
  return all;
}

bool is_system_set(const void* handle) {
  SystemSets& all = all_system_sets();
  const std::lock_guard lock(all.mutex);
  return all.sets.contains(reinterpret_cast<std::uintptr_t>(handle));
}

/// With a request of the first version.
template <class Request, class Body>
nvmlReturn_t with_request(Request* request, Body&& body) noexcept {
  return with_nvml([&](const NvmlDriver&) -> nvmlReturn_t {
    if (request == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (request->version != version_of<Request>(1)) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    return body(*request);
  });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlSystemEventSetCreate(nvmlSystemEventSetRequest_v1_t* request) {
  return with_request(request, [](nvmlSystemEventSetRequest_v1_t& made) {
    SystemSets& all = all_system_sets();
    const std::lock_guard lock(all.mutex);
    all.sets.insert(++all.last);
    made.set = reinterpret_cast<void*>(all.last);  // NOLINT(performance-no-int-to-ptr)
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlSystemEventSetFree(nvmlSystemEventSetRequest_v1_t* request) {
  return with_request(request, [](const nvmlSystemEventSetRequest_v1_t& given) {
    SystemSets& all = all_system_sets();
    const std::lock_guard lock(all.mutex);
    return all.sets.erase(reinterpret_cast<std::uintptr_t>(given.set)) != 0
               ? NVML_SUCCESS
               : NVML_ERROR_INVALID_ARGUMENT;
  });
}

nvmlReturn_t nvmlSystemRegisterEvents(nvmlSystemRegisterEventRequest_v1_t* request) {
  return with_request(request, [](const nvmlSystemRegisterEventRequest_v1_t& given) {
    const bool valid = is_system_set(given.set) && (given.eventTypes & ~known_types) == 0;
    return valid ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
  });
}

nvmlReturn_t nvmlSystemEventSetWait(nvmlSystemEventSetWaitRequest_v1_t* request) {
  return with_request(request, [](nvmlSystemEventSetWaitRequest_v1_t& given) -> nvmlReturn_t {
    if (!is_system_set(given.set) || given.data == nullptr || given.dataSize == 0)
      return NVML_ERROR_INVALID_ARGUMENT;
    std::this_thread::sleep_for(std::chrono::milliseconds(given.timeoutms));
    given.numEvent = 0;
    return NVML_ERROR_TIMEOUT;
  });
}

}  // extern "C"
