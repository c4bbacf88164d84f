// SPDX-License-Identifier: MIT
// NVML: a device's identifiers, and what it can do besides: nothing that has a licence or a
// capability of NVIDIA's.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>

#include "standins/nvml_state.h"

using namespace pycuda::standins;

namespace {

using Bytes = std::array<unsigned char, 16>;

/// The bytes of "GPU-xxxxxxxx-...".
Bytes bytes_of(const NvmlDevice& device) {
  std::string digits = device.uuid.substr(device.uuid.find('-') + 1);
  std::erase(digits, '-');
  Bytes bytes{};
  for (std::size_t i = 0; i < bytes.size() && 2 * i + 2 <= digits.size(); ++i)
    std::from_chars(digits.data() + 2 * i, digits.data() + 2 * i + 2, bytes[i], 16);
  return bytes;
}

bool is_meant(const NvmlDevice& device, const nvmlUUID_v1_t& name) {
  if (name.type == NVML_UUID_TYPE_BINARY) {
    const Bytes bytes = bytes_of(device);
    return std::equal(bytes.begin(), bytes.end(), name.value.bytes);
  }
  // As text it may end at the last character that there is room for.
  const std::size_t length = strnlen(name.value.str, sizeof name.value.str);
  return is_called(device, std::string_view(name.value.str, length));
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetHandleByUUIDV(const nvmlUUID_v1_t* uuid, NvmlHandle* handle) {
  return with_nvml([&](const NvmlDriver& driver) -> nvmlReturn_t {
    if (uuid == nullptr || handle == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (uuid->version != version_of<nvmlUUID_v1_t>(1)) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    if (uuid->type != NVML_UUID_TYPE_ASCII && uuid->type != NVML_UUID_TYPE_BINARY)
      return NVML_ERROR_INVALID_ARGUMENT;
    for (const NvmlDevice& device : driver.devices) {
      if (is_meant(device, *uuid)) return give(handle, handle_of(device));
    }
    return NVML_ERROR_NOT_FOUND;
  });
}

/// A number of the device, the same in every process.
nvmlReturn_t nvmlDeviceGetPdi(NvmlHandle handle, nvmlPdi_v1_t* pdi) {
  return with_device(handle, [&](const NvmlDevice& device) -> nvmlReturn_t {
    if (pdi == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (pdi->version != version_of<nvmlPdi_v1_t>(1)) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    const Bytes bytes = bytes_of(device);
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < sizeof number; ++i) number = number << 8 | bytes[i];
    pdi->value = number;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetCapabilities(NvmlHandle handle, nvmlDeviceCapabilities_v1_t* mask) {
  return with_device(handle, [&](const NvmlDevice&) -> nvmlReturn_t {
    if (mask == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (mask->version != version_of<nvmlDeviceCapabilities_v1_t>(1))
      return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    mask->capMask = 0;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetGridLicensableFeatures_v4(NvmlHandle handle,
                                                    nvmlGridLicensableFeatures_t* features) {
  return with_device(handle, [&](const NvmlDevice&) -> nvmlReturn_t {
    if (features == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    features->isGridLicenseSupported = 0;
    features->licensableFeaturesCount = 0;
    return NVML_SUCCESS;
  });
}

/// Of no board with several devices, and not handed to a virtual machine.
nvmlReturn_t nvmlDeviceGetModuleId(NvmlHandle handle, unsigned* number) {
  return with_device(handle, [&](const NvmlDevice&) { return give(number, 0U); });
}
nvmlReturn_t nvmlDeviceGetVirtualizationMode(NvmlHandle handle, int* mode) {
  return with_device(handle, [&](const NvmlDevice&) { return give(mode, 0); });
}

/// No device is part of another.
nvmlReturn_t nvmlDeviceIsMigDeviceHandle(NvmlHandle handle, unsigned* is_one) {
  return with_device(handle, [&](const NvmlDevice&) { return give(is_one, 0U); });
}
nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(NvmlHandle handle, unsigned* count) {
  return with_device(handle, [&](const NvmlDevice&) { return give(count, 0U); });
}

}  // extern "C"
