// SPDX-License-Identifier: MIT
#include "cuda/device_traits.h"

#include <algorithm>

#include "driver/error.h"

namespace pycuda::cuda {
namespace {

/// What a driver tells without a device.
DeviceTraits traits_of_driver(const driver::DriverTable& driver) {
  DeviceTraits traits;
  if (driver.cuDriverGetVersion.status(&traits.driver_version) != CUDA_SUCCESS)
    traits.driver_version = 0;
  traits.is_cpu = driver.last_fault != nullptr;
  return traits;
}

/// The last answer.
struct Known {
  const driver::DriverTable* driver = nullptr;
  CUdevice device = 0;
  DeviceTraits traits;
};

}  // namespace

DeviceTraits read_device_traits(const Device& device) {
  DeviceTraits traits = traits_of_driver(device.driver());
  const auto [major, minor] = device.compute_capability();
  traits.capability = 10 * major + minor;
  // No GPU that shares the host's memory computes doubles at half the speed of floats.
  traits.serial_threads =
      device.attribute(CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0 &&
      device.attribute(CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO) <= 2;
  traits.multiprocessors = std::max(1, device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  return traits;
}

DeviceTraits current_device_traits() {
  if (!driver::process_driver_loaded()) return {};
  const driver::DriverTable& driver = driver::process_driver();
  CUdevice device = 0;
  if (driver.cuCtxGetDevice.status(&device) != CUDA_SUCCESS &&
      driver.cuDeviceGet.status(&device, 0) != CUDA_SUCCESS) {
    return traits_of_driver(driver);
  }
  thread_local Known known;
  if (known.driver == &driver && known.device == device) return known.traits;
  try {
    known = {&driver, device, read_device_traits(Device::from_handle(device, driver))};
    return known.traits;
  } catch (const driver::DriverError&) {
    return traits_of_driver(driver);
  }
}

}  // namespace pycuda::cuda
