// SPDX-License-Identifier: MIT
#include "cpu/api/fault_events.h"

#include <cstddef>
#include <mutex>
#include <vector>

#include "cpu/api/entry_guard.h"

namespace pycuda::cpu::api {
namespace {

struct FaultEvent {
  int device;
  CUresult error;
};

struct FaultEvents {
  std::mutex mutex;  ///< protects the rest
  /// A context reports one fault in its life: there are few.
  std::vector<FaultEvent> all;
};

FaultEvents& events() {
  static auto& all = *new FaultEvents;
  return all;
}

}  // namespace

void note_fault_event(int device, CUresult error) {
  FaultEvents& known = events();
  const std::lock_guard lock(known.mutex);
  known.all.push_back({device, error});
}

}  // namespace pycuda::cpu::api

extern "C" {

/// Beyond NVIDIA's interface, for the stand-in for NVML: `*count` becomes the number of faults in
/// the process so far; if fault `number` (from 0) is one of them, `*device` and `*error` become its
/// device's ordinal and its error. Callable in any state.
CUresult cuCpuGetFault(unsigned long long number, int* device, CUresult* error,
                       unsigned long long* count) {
  using namespace pycuda::cpu::api;
  return guarded([&]() -> CUresult {
    if (device == nullptr || error == nullptr || count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    FaultEvents& known = events();
    const std::lock_guard lock(known.mutex);
    *count = known.all.size();
    if (number < known.all.size()) {
      const FaultEvent& found = known.all[static_cast<std::size_t>(number)];
      *device = found.device;
      *error = found.error;
    }
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
