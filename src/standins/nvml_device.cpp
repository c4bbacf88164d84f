// SPDX-License-Identifier: MIT
// NVML: what a device is and what it does.
#include <algorithm>
#include <string>
#include <vector>

#include "standins/machine_load.h"
#include "standins/nvml_state.h"

using namespace pycuda::standins;

namespace {

constexpr unsigned long long kNotAvailable = ~0ULL;

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
    info.gpuInstanceId = no_instance;
    info.computeInstanceId = no_instance;
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

nvmlReturn_t clock_of(NvmlHandle handle, nvmlClockType_t type, unsigned* megahertz) {
  return with_device(handle, [&](const NvmlDevice& device) -> nvmlReturn_t {
    if (type < NVML_CLOCK_GRAPHICS || type > NVML_CLOCK_VIDEO) return NVML_ERROR_INVALID_ARGUMENT;
    const unsigned clock = type == NVML_CLOCK_MEM ? device.memory_clock_mhz : device.clock_mhz;
    if (type == NVML_CLOCK_VIDEO || clock == 0) return NVML_ERROR_NOT_SUPPORTED;
    return give(megahertz, clock);
  });
}

/// Names and values in NVIDIA's form. There is one level of performance: what the clock does within
/// it is the system's affair.
nvmlReturn_t clocks_as_text(NvmlHandle handle, nvmlDevicePerfModes_v1_t* modes) {
  return with_device(handle, [&](const NvmlDevice& device) -> nvmlReturn_t {
    if (modes == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (modes->version != version_of<nvmlDevicePerfModes_v1_t>(1))
      return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    if (device.clock_mhz == 0) return NVML_ERROR_NOT_SUPPORTED;
    return give_text(modes->str, sizeof modes->str,
                     "perf=0, nvclock=" + std::to_string(device.clock_mhz));
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

nvmlReturn_t nvmlDeviceGetMemoryInfo(NvmlHandle handle, nvmlMemory_t* memory) {
  return with_device(handle,
                     [&](const NvmlDevice& device) { return give(memory, memory_of(device)); });
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(NvmlHandle handle, nvmlMemory_v2_t* memory) {
  constexpr unsigned version = version_of<nvmlMemory_v2_t>(2);
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

nvmlReturn_t nvmlDeviceGetCurrentClockFreqs(NvmlHandle handle,
                                            nvmlDeviceCurrentClockFreqs_v1_t* clocks) {
  return clocks_as_text(handle, clocks);
}
nvmlReturn_t nvmlDeviceGetPerformanceModes(NvmlHandle handle, nvmlDevicePerfModes_v1_t* modes) {
  return clocks_as_text(handle, modes);
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
