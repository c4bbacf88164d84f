// SPDX-License-Identifier: MIT
// NVML: the place of a device on the PCI bus. A CPU device has the number of one and no link: what
// tells of a link is 0.
#include <cstdio>
#include <cstring>

#include "standins/nvml_state.h"

using namespace pycuda::standins;

namespace {

template <class Info>
void fill_place(Info& info, const NvmlDevice& device) {
  info.domain = device.domain;
  info.bus = device.bus;
  info.device = device.slot;
  if constexpr (requires { info.busIdLegacy; })
    std::snprintf(info.busIdLegacy, sizeof info.busIdLegacy, "%04X:%02X:%02X.0",
                  device.domain & 0xffff, device.bus & 0xff, device.slot & 0xff);
  if constexpr (requires { info.busId; })
    std::snprintf(info.busId, sizeof info.busId, "%08X:%02X:%02X.0", device.domain,
                  device.bus & 0xff, device.slot & 0xff);
}

template <class Info>
nvmlReturn_t place_of(NvmlHandle handle, Info* info) {
  return with_device(handle, [&](const NvmlDevice& device) {
    if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    std::memset(static_cast<void*>(info), 0, sizeof *info);
    fill_place(*info, device);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t of_no_link(NvmlHandle handle, unsigned* number) {
  return with_device(handle, [&](const NvmlDevice&) { return give(number, 0U); });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetPciInfo_v3(NvmlHandle handle, nvmlPciInfo_t* info) {
  return place_of(handle, info);
}
nvmlReturn_t nvmlDeviceGetPciInfo_v2(NvmlHandle handle, nvmlPciInfo_v2_t* info) {
  return place_of(handle, info);
}
nvmlReturn_t nvmlDeviceGetPciInfo(NvmlHandle handle, nvmlPciInfo_v2_t* info) {
  return place_of(handle, info);
}

/// With the class of the device: a processor (0x0b), of no kind that PCI names (0x80).
nvmlReturn_t nvmlDeviceGetPciInfoExt(NvmlHandle handle, nvmlPciInfoExt_v1_t* info) {
  constexpr unsigned version = version_of<nvmlPciInfoExt_v1_t>(1);
  return with_device(handle, [&](const NvmlDevice& device) {
    if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (info->version != version) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    *info = {};
    info->version = version;
    fill_place(*info, device);
    info->baseClass = 0x0b;
    info->subClass = 0x80;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetCurrPcieLinkGeneration(NvmlHandle handle, unsigned* generation) {
  return of_no_link(handle, generation);
}
nvmlReturn_t nvmlDeviceGetMaxPcieLinkGeneration(NvmlHandle handle, unsigned* generation) {
  return of_no_link(handle, generation);
}
nvmlReturn_t nvmlDeviceGetGpuMaxPcieLinkGeneration(NvmlHandle handle, unsigned* generation) {
  return of_no_link(handle, generation);
}
nvmlReturn_t nvmlDeviceGetCurrPcieLinkWidth(NvmlHandle handle, unsigned* width) {
  return of_no_link(handle, width);
}
nvmlReturn_t nvmlDeviceGetMaxPcieLinkWidth(NvmlHandle handle, unsigned* width) {
  return of_no_link(handle, width);
}
nvmlReturn_t nvmlDeviceGetPcieReplayCounter(NvmlHandle handle, unsigned* count) {
  return of_no_link(handle, count);
}

}  // extern "C"
