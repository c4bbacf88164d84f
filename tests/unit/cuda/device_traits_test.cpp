// SPDX-License-Identifier: MIT
#include "cuda/device_traits.h"

#include <doctest/doctest.h>

#include "unit/fake/fake_driver.h"

using namespace pycuda::cuda;
using pycuda::driver::DriverTable;
using pycuda::testing::fake_driver;

namespace {

/// A driver of one device of compute capability 8.6 with 12 multiprocessors.
template <int integrated, int double_precision_ratio>
DriverTable driver_of() {
  DriverTable driver = fake_driver();
  driver.cuDriverGetVersion.bind([](int* version) {
    *version = 12040;
    return CUDA_SUCCESS;
  });
  driver.cuDeviceGetAttribute.bind([](int* value, CUdevice_attribute attribute, CUdevice) {
    switch (attribute) {
      case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = 8;
        break;
      case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = 6;
        break;
      case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = 12;
        break;
      case CU_DEVICE_ATTRIBUTE_INTEGRATED:
        *value = integrated;
        break;
      case CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO:
        *value = double_precision_ratio;
        break;
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
  });
  return driver;
}

}  // namespace

TEST_CASE("traits are the driver's version, the capability and the multiprocessors") {
  const DriverTable driver = driver_of<0, 32>();
  const DeviceTraits traits = read_device_traits(Device(0, driver));
  CHECK(traits.capability == 86);
  CHECK(traits.driver_version == 12040);
  CHECK(traits.multiprocessors == 12);
}

TEST_CASE("threads are serial where an integrated device computes doubles at half the speed") {
  CHECK(read_device_traits(Device(0, driver_of<1, 2>())).serial_threads);
  CHECK_FALSE(read_device_traits(Device(0, driver_of<1, 32>())).serial_threads);
  CHECK_FALSE(read_device_traits(Device(0, driver_of<0, 2>())).serial_threads);
}

TEST_CASE("the CPU driver is known by a function of its own") {
  DriverTable driver = driver_of<1, 2>();
  CHECK_FALSE(read_device_traits(Device(0, driver)).is_cpu);
  driver.last_fault = [](char*, std::size_t) { return CUDA_SUCCESS; };
  CHECK(read_device_traits(Device(0, driver)).is_cpu);
}
