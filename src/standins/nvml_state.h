// SPDX-License-Identifier: MIT
// The state that nvmlInit creates, and how every function accesses it.
#pragma once

#include <cstring>
#include <memory>
#include <string_view>

#include "standins/nvml_abi.h"
#include "standins/nvml_devices.h"

namespace pycuda::standins {

/// Counts one more user of the library; the first reads the driver.
nvmlReturn_t nvml_initialise();
nvmlReturn_t nvml_shut_down();

/// The driver, or null before nvmlInit and after the last nvmlShutdown.
std::shared_ptr<const NvmlDriver> nvml_driver();

/// The only exit of the functions: no exception leaves the library.
template <class Body>
nvmlReturn_t with_nvml(Body&& body) noexcept {
  try {
    const std::shared_ptr<const NvmlDriver> driver = nvml_driver();
    return driver != nullptr ? body(*driver) : NVML_ERROR_UNINITIALIZED;
  } catch (...) {
    return NVML_ERROR_UNKNOWN;
  }
}

/// The handle of a device is its number plus one: valid from one nvmlInit to the next.
using NvmlHandle = void*;
NvmlHandle handle_of(const NvmlDevice& device);

template <class Body>
nvmlReturn_t with_device(NvmlHandle handle, Body&& body) noexcept {
  return with_nvml([&](const NvmlDriver& driver) -> nvmlReturn_t {
    for (const NvmlDevice& device : driver.devices) {
      if (handle_of(device) == handle) return body(device);
    }
    return NVML_ERROR_INVALID_ARGUMENT;
  });
}

/// In a structure's member `version`.
template <class T>
constexpr unsigned version_of(unsigned number) {
  return static_cast<unsigned>(sizeof(T)) | number << 24U;
}

/// Of a device that is not a part of another one (MIG).
constexpr unsigned no_instance = 0xffffffff;

/// Whether the text is the device's identifier, with "GPU-" or, as CUDA tells it, without.
inline bool is_called(const NvmlDevice& device, std::string_view text) {
  constexpr std::string_view prefix = "GPU-";
  const std::string_view uuid = device.uuid;
  return text == uuid || (uuid.starts_with(prefix) && text == uuid.substr(prefix.size()));
}

/// A value to the program's variable.
template <class T>
nvmlReturn_t give(T* destination, T value) {
  if (destination == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *destination = value;
  return NVML_SUCCESS;
}

/// Text to the program's buffer, with its NUL.
inline nvmlReturn_t give_text(char* destination, unsigned bytes, std::string_view text) {
  if (destination == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (text.size() >= bytes) return NVML_ERROR_INSUFFICIENT_SIZE;
  std::memcpy(destination, text.data(), text.size());
  destination[text.size()] = '\0';
  return NVML_SUCCESS;
}

}  // namespace pycuda::standins
