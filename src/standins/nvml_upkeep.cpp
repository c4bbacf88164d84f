// SPDX-License-Identifier: MIT
// NVML: how a device is kept: fans, temperature, whether the driver stays loaded, fields.
#include <ctime>

#include "standins/machine_load.h"
#include "standins/nvml_state.h"

using namespace pycuda::standins;

namespace {

constexpr int off = 0, on = 1;

/// In degrees Celsius, of the processors.
nvmlReturn_t temperature_of(NvmlHandle handle, int sensor, unsigned* degrees) {
  return with_device(handle, [&](const NvmlDevice&) -> nvmlReturn_t {
    if (sensor != 0) return NVML_ERROR_INVALID_ARGUMENT;
    const auto read = processor_temperature();
    return read ? give(degrees, *read) : NVML_ERROR_NOT_SUPPORTED;
  });
}

/// What the device knows of a field.
void fill_field(nvmlFieldValue_t& field) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  field.timestamp = now.tv_sec * 1'000'000LL + now.tv_nsec / 1000;
  field.latencyUsec = 0;
  field.nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
  field.value = 0;
  if (field.fieldId != NVML_FI_DEV_PCIE_REPLAY_COUNTER) return;
  field.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
  field.nvmlReturn = NVML_SUCCESS;  // as nvmlDeviceGetPcieReplayCounter: 0
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetNumFans(NvmlHandle handle, unsigned* count) {
  return with_device(handle, [&](const NvmlDevice&) { return give(count, 0U); });
}

nvmlReturn_t nvmlDeviceGetTemperature(NvmlHandle handle, int sensor, unsigned* degrees) {
  return temperature_of(handle, sensor, degrees);
}

nvmlReturn_t nvmlDeviceGetTemperatureV(NvmlHandle handle, nvmlTemperature_v1_t* temperature) {
  if (temperature == nullptr) return with_nvml([](auto&) { return NVML_ERROR_INVALID_ARGUMENT; });
  if (temperature->version != version_of<nvmlTemperature_v1_t>(1))
    return with_nvml([](auto&) { return NVML_ERROR_ARGUMENT_VERSION_MISMATCH; });
  unsigned degrees = 0;
  const nvmlReturn_t result = temperature_of(handle, temperature->sensorType, &degrees);
  if (result == NVML_SUCCESS) temperature->temperature = static_cast<int>(degrees);
  return result;
}

/// The driver is a library: it is loaded as long as a program uses it, and by no setting longer.
nvmlReturn_t nvmlDeviceGetPersistenceMode(NvmlHandle handle, int* mode) {
  return with_device(handle, [&](const NvmlDevice&) { return give(mode, off); });
}
nvmlReturn_t nvmlDeviceSetPersistenceMode(NvmlHandle handle, int mode) {
  return with_device(handle, [&](const NvmlDevice&) -> nvmlReturn_t {
    if (mode != off && mode != on) return NVML_ERROR_INVALID_ARGUMENT;
    return mode == off ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
  });
}

/// Each field says by itself whether it is supported.
nvmlReturn_t nvmlDeviceGetFieldValues(NvmlHandle handle, int count, nvmlFieldValue_t* fields) {
  return with_device(handle, [&](const NvmlDevice&) -> nvmlReturn_t {
    if (count <= 0 || fields == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    for (int i = 0; i < count; ++i) fill_field(fields[i]);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceClearFieldValues(NvmlHandle handle, int count, nvmlFieldValue_t* fields) {
  return nvmlDeviceGetFieldValues(handle, count, fields);
}

}  // extern "C"
