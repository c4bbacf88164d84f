// SPDX-License-Identifier: MIT
// NVML: how near devices are to each other. All of them are parts of the same processors and reach
// each other's memory.
#include <algorithm>
#include <vector>

#include "standins/nvml_state.h"

using namespace pycuda::standins;

namespace {

constexpr unsigned internal_level = 0, system_level = 50;

bool is_level(unsigned level) { return level <= system_level && level % 10 == 0; }

/// What cuDeviceGetP2PAttribute says: reads, writes and atomics, but no link between devices.
constexpr int read_index = 0, write_index = 1, nvlink_index = 2, atomics_index = 3, pci_index = 4;
constexpr int status_ok = 0, status_not_supported = 5;

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(NvmlHandle first, NvmlHandle second,
                                                 unsigned* level) {
  return with_device(first, [&](const NvmlDevice&) {
    return with_device(second, [&](const NvmlDevice&) { return give(level, internal_level); });
  });
}

/// The other devices, at every level.
nvmlReturn_t nvmlDeviceGetTopologyNearestGpus(NvmlHandle handle, unsigned level, unsigned* count,
                                              NvmlHandle* devices) {
  return with_nvml([&](const NvmlDriver& driver) {
    return with_device(handle, [&](const NvmlDevice& device) -> nvmlReturn_t {
      if (count == nullptr || !is_level(level)) return NVML_ERROR_INVALID_ARGUMENT;
      std::vector<NvmlHandle> others;
      for (const NvmlDevice& one : driver.devices) {
        if (one.index != device.index) others.push_back(handle_of(one));
      }
      const std::size_t room = *count;
      *count = static_cast<unsigned>(others.size());
      if (room == 0) return NVML_SUCCESS;  // how many there are
      if (devices == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
      std::copy_n(others.begin(), std::min(room, others.size()), devices);
      return NVML_SUCCESS;
    });
  });
}

nvmlReturn_t nvmlDeviceGetP2PStatus(NvmlHandle first, NvmlHandle second, int index, int* status) {
  return with_device(first, [&](const NvmlDevice& one) {
    return with_device(second, [&](const NvmlDevice& other) -> nvmlReturn_t {
      if (one.index == other.index) return NVML_ERROR_INVALID_ARGUMENT;
      switch (index) {
        case read_index:
        case write_index:
        case atomics_index:
          return give(status, status_ok);
        case nvlink_index:
        case pci_index:
          return give(status, status_not_supported);
        default:
          return NVML_ERROR_INVALID_ARGUMENT;
      }
    });
  });
}

}  // extern "C"
