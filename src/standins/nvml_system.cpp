// SPDX-License-Identifier: MIT
// NVML: initialisation, versions, the list of devices.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "standins/machine_load.h"
#include "standins/nvml_state.h"

using namespace pycuda::standins;

namespace {

nvmlReturn_t find_device(NvmlHandle* handle, auto&& matches) {
  return with_nvml([&](const NvmlDriver& driver) -> nvmlReturn_t {
    if (handle == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    for (const NvmlDevice& device : driver.devices) {
      if (matches(device)) return give(handle, handle_of(device));
    }
    return NVML_ERROR_NOT_FOUND;
  });
}

/// "0000:01:00.0" and "00000000:01:00.0" are the same place.
bool is_at(const NvmlDevice& device, const char* bus_id) {
  char* end = nullptr;
  const unsigned long domain = std::strtoul(bus_id, &end, 16);
  if (*end != ':') return false;
  const unsigned long bus = std::strtoul(end + 1, &end, 16);
  if (*end != ':') return false;
  const unsigned long slot = std::strtoul(end + 1, &end, 16);
  return (*end == '\0' || std::strcmp(end, ".0") == 0) && domain == device.domain &&
         bus == device.bus && slot == device.slot;
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlInitWithFlags(unsigned) {
  try {
    return nvml_initialise();
  } catch (...) {
    return NVML_ERROR_UNKNOWN;
  }
}

nvmlReturn_t nvmlInit_v2() { return nvmlInitWithFlags(0); }
nvmlReturn_t nvmlInit() { return nvmlInitWithFlags(0); }
nvmlReturn_t nvmlShutdown() { return nvml_shut_down(); }

const char* nvmlErrorString(nvmlReturn_t result) {
  switch (result) {
    case NVML_SUCCESS:
      return "Success";
    case NVML_ERROR_UNINITIALIZED:
      return "Uninitialized";
    case NVML_ERROR_INVALID_ARGUMENT:
      return "Invalid Argument";
    case NVML_ERROR_NOT_SUPPORTED:
      return "Not Supported";
    case NVML_ERROR_NOT_FOUND:
      return "Not Found";
    case NVML_ERROR_INSUFFICIENT_SIZE:
      return "Insufficient Size";
    case NVML_ERROR_DRIVER_NOT_LOADED:
      return "Driver Not Loaded";
    case NVML_ERROR_TIMEOUT:
      return "Timeout";
    case NVML_ERROR_ARGUMENT_VERSION_MISMATCH:
      return "Argument version mismatch";
    default:
      return "Unknown Error";
  }
}

nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned bytes) {
  return with_nvml(
      [&](const NvmlDriver&) { return give_text(version, bytes, PYCUDA_PROJECT_VERSION); });
}

nvmlReturn_t nvmlSystemGetDriverBranch(nvmlSystemDriverBranchInfo_v1_t* info, unsigned bytes) {
  constexpr unsigned version = version_of<nvmlSystemDriverBranchInfo_v1_t>(1);
  return with_nvml([&](const NvmlDriver&) -> nvmlReturn_t {
    if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (info->version != version) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    return give_text(info->branch, std::min<unsigned>(bytes, sizeof info->branch), "pycuda-cpu");
  });
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char* version, unsigned bytes) {
  return with_nvml([&](const NvmlDriver& driver) {
    return give_text(version, bytes,
                     std::to_string(driver.cuda_version / 1000) + "." PYCUDA_PROJECT_VERSION);
  });
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int* version) {
  return with_nvml([&](const NvmlDriver& driver) { return give(version, driver.cuda_version); });
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* version) {
  return nvmlSystemGetCudaDriverVersion_v2(version);
}

nvmlReturn_t nvmlSystemGetProcessName(unsigned process, char* name, unsigned bytes) {
  return with_nvml([&](const NvmlDriver&) -> nvmlReturn_t {
    const std::string program = program_of(process);
    if (program.empty()) return NVML_ERROR_NOT_FOUND;
    if (name == nullptr || bytes == 0) return NVML_ERROR_INVALID_ARGUMENT;
    // As documented, a name that does not fit is cut off.
    return give_text(name, bytes, std::string_view(program).substr(0, bytes - 1));
  });
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count) {
  return with_nvml([&](const NvmlDriver& driver) {
    return give(count, static_cast<unsigned>(driver.devices.size()));
  });
}

nvmlReturn_t nvmlDeviceGetCount(unsigned* count) { return nvmlDeviceGetCount_v2(count); }

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, NvmlHandle* device) {
  const nvmlReturn_t found =
      find_device(device, [&](const NvmlDevice& one) { return one.index == index; });
  return found == NVML_ERROR_NOT_FOUND ? NVML_ERROR_INVALID_ARGUMENT : found;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, NvmlHandle* device) {
  return nvmlDeviceGetHandleByIndex_v2(index, device);
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, NvmlHandle* device) {
  if (uuid == nullptr) return with_nvml([](auto&) { return NVML_ERROR_INVALID_ARGUMENT; });
  return find_device(device, [&](const NvmlDevice& one) { return is_called(one, uuid); });
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, NvmlHandle* device) {
  if (bus_id == nullptr) return with_nvml([](auto&) { return NVML_ERROR_INVALID_ARGUMENT; });
  return find_device(device, [&](const NvmlDevice& one) { return is_at(one, bus_id); });
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char* bus_id, NvmlHandle* device) {
  return nvmlDeviceGetHandleByPciBusId_v2(bus_id, device);
}

}  // extern "C"
