// SPDX-License-Identifier: MIT
// NVML: what a device is and what it does.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "standins/machine_load.h"
#include "standins/nvml_state.h"

using namespace pycuda::standins;

namespace {

constexpr unsigned long long kNotAvailable = ~0ULL;
constexpr unsigned kNoInstance = 0xffffffff;

/// The device's memory is the machine's: what other programs took of it is not free either.
nvmlMemory_t memory_of(const NvmlDevice& device) {
  const unsigned long long free = std::min<unsigned long long>(device.memory, available_memory());
  return {device.memory, free, device.memory - free};
}

template <class Info>
void fill_process(Info& info, unsigned process) {
  info.pid = process;
  info.usedGpuMemory = kNotAvailable;
  if constexpr (requires { info.gpuInstanceId; }) {
    info.gpuInstanceId = kNoInstance;
    info.computeInstanceId = kNoInstance;
  }
}

template <class Info>
nvmlReturn_t running_processes(NvmlHandle handle, unsigned* count, Info* infos) {
  return with_nvml([&](const NvmlDriver& driver) {
    return with_device(handle, [&](const NvmlDevice&) -> nvmlReturn_t {
      if (count == nullptr || (*count != 0 && infos == nullptr)) return NVML_ERROR_INVALID_ARGUMENT;
      const std::vector<unsigned> processes = processes_with(driver.library);
      const std::size_t room = *count;
      *count = static_cast<unsigned>(processes.size());
      if (room < processes.size()) return NVML_ERROR_INSUFFICIENT_SIZE;
      for (std::size_t i = 0; i < processes.size(); ++i) fill_process(infos[i], processes[i]);
      return NVML_SUCCESS;
    });
  });
}

template <class Info>
void fill_place(Info& info, const NvmlDevice& device) {
  std::memset(static_cast<void*>(&info), 0, sizeof info);
  std::snprintf(info.busIdLegacy, sizeof info.busIdLegacy, "%04X:%02X:%02X.0",
                device.domain & 0xffff, device.bus & 0xff, device.slot & 0xff);
  info.domain = device.domain;
  info.bus = device.bus;
  info.device = device.slot;
  if constexpr (requires { info.busId; })
    std::snprintf(info.busId, sizeof info.busId, "%08X:%02X:%02X.0", device.domain,
                  device.bus & 0xff, device.slot & 0xff);
}

template <class Info>
nvmlReturn_t place_of(NvmlHandle handle, Info* info) {
  return with_device(handle, [&](const NvmlDevice& device) {
    if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    fill_place(*info, device);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t clock_of(NvmlHandle handle, nvmlClockType_t type, unsigned* megahertz) {
  return with_device(handle, [&](const NvmlDevice& device) -> nvmlReturn_t {
    if (type < NVML_CLOCK_GRAPHICS || type > NVML_CLOCK_VIDEO) return NVML_ERROR_INVALID_ARGUMENT;
    const unsigned clock = type == NVML_CLOCK_MEM ? device.memory_clock_mhz : device.clock_mhz;
    if (type == NVML_CLOCK_VIDEO || clock == 0) return NVML_ERROR_NOT_SUPPORTED;
    return give(megahertz, clock);
  });
}

/// The value that the device has, or one that holds for every CPU device.
template <class T>
nvmlReturn_t constant(NvmlHandle handle, T* destination, T value) {
  return with_device(handle, [&](const NvmlDevice&) { return give(destination, value); });
}

/// NVML's number of an architecture; 0xffffffff: unknown.
unsigned architecture_of(const NvmlDevice& device) {
  switch (device.compute_major) {
    case 7:
      return device.compute_minor >= 5 ? 6 : 5;
    case 8:
      return device.compute_minor == 9 ? 8 : 7;
    case 9:
      return 9;
    case 10:
    case 12:
      return 10;
    default:
      return 0xffffffff;
  }
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetName(NvmlHandle handle, char* name, unsigned bytes) {
  return with_device(handle,
                     [&](const NvmlDevice& device) { return give_text(name, bytes, device.name); });
}

nvmlReturn_t nvmlDeviceGetUUID(NvmlHandle handle, char* uuid, unsigned bytes) {
  return with_device(handle,
                     [&](const NvmlDevice& device) { return give_text(uuid, bytes, device.uuid); });
}

nvmlReturn_t nvmlDeviceGetIndex(NvmlHandle handle, unsigned* index) {
  return with_device(handle, [&](const NvmlDevice& device) { return give(index, device.index); });
}

nvmlReturn_t nvmlDeviceGetMinorNumber(NvmlHandle handle, unsigned* number) {
  return nvmlDeviceGetIndex(handle, number);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(NvmlHandle handle, nvmlPciInfo_t* info) {
  return place_of(handle, info);
}
nvmlReturn_t nvmlDeviceGetPciInfo_v2(NvmlHandle handle, nvmlPciInfo_v2_t* info) {
  return place_of(handle, info);
}
nvmlReturn_t nvmlDeviceGetPciInfo(NvmlHandle handle, nvmlPciInfo_v2_t* info) {
  return place_of(handle, info);
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(NvmlHandle handle, nvmlMemory_t* memory) {
  return with_device(handle,
                     [&](const NvmlDevice& device) { return give(memory, memory_of(device)); });
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(NvmlHandle handle, nvmlMemory_v2_t* memory) {
  constexpr unsigned version = sizeof(nvmlMemory_v2_t) | (2U << 24U);
  return with_device(handle, [&](const NvmlDevice& device) {
    if (memory == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (memory->version != version) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    const nvmlMemory_t now = memory_of(device);
    *memory = {version, now.total, 0, now.free, now.used};
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetUtilizationRates(NvmlHandle handle, nvmlUtilization_t* use) {
  return with_device(handle, [&](const NvmlDevice&) {
    return use != nullptr ? give(use, nvmlUtilization_t{processor_use(), 0})
                          : NVML_ERROR_INVALID_ARGUMENT;
  });
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(NvmlHandle handle, unsigned* count,
                                                     nvmlProcessInfo_t* infos) {
  return running_processes(handle, count, infos);
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(NvmlHandle handle, unsigned* count,
                                                     nvmlProcessInfo_t* infos) {
  return running_processes(handle, count, infos);
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(NvmlHandle handle, unsigned* count,
                                                  nvmlProcessInfo_v1_t* infos) {
  return running_processes(handle, count, infos);
}

nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(NvmlHandle handle, unsigned* count, void*) {
  return constant(handle, count, 0U);
}
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v2(NvmlHandle handle, unsigned* count, void*) {
  return constant(handle, count, 0U);
}
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses(NvmlHandle handle, unsigned* count, void*) {
  return constant(handle, count, 0U);
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(NvmlHandle handle, int* major, int* minor) {
  return with_device(handle, [&](const NvmlDevice& device) {
    if (major == nullptr || minor == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    *major = device.compute_major;
    return give(minor, device.compute_minor);
  });
}

nvmlReturn_t nvmlDeviceGetArchitecture(NvmlHandle handle, unsigned* architecture) {
  return with_device(handle, [&](const NvmlDevice& device) {
    return give(architecture, architecture_of(device));
  });
}

nvmlReturn_t nvmlDeviceGetMaxClockInfo(NvmlHandle handle, nvmlClockType_t type, unsigned* clock) {
  return clock_of(handle, type, clock);
}

nvmlReturn_t nvmlDeviceGetMemoryBusWidth(NvmlHandle handle, unsigned* bits) {
  return with_device(handle, [&](const NvmlDevice& device) -> nvmlReturn_t {
    return device.memory_bus_bits != 0 ? give(bits, device.memory_bus_bits)
                                       : NVML_ERROR_NOT_SUPPORTED;
  });
}

// No brand, compute mode "default", no display.
nvmlReturn_t nvmlDeviceGetBrand(NvmlHandle handle, int* brand) {
  return constant(handle, brand, 0);
}
nvmlReturn_t nvmlDeviceGetComputeMode(NvmlHandle handle, int* mode) {
  return constant(handle, mode, 0);
}
nvmlReturn_t nvmlDeviceGetDisplayMode(NvmlHandle handle, int* mode) {
  return constant(handle, mode, 0);
}
nvmlReturn_t nvmlDeviceGetDisplayActive(NvmlHandle handle, int* active) {
  return constant(handle, active, 0);
}
nvmlReturn_t nvmlDeviceGetMultiGpuBoard(NvmlHandle handle, unsigned* is_one) {
  return constant(handle, is_one, 0U);
}

}  // extern "C"
