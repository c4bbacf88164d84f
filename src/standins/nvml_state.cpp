// SPDX-License-Identifier: MIT
#include "standins/nvml_state.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "base/log.h"

namespace pycuda::standins {
namespace {

std::mutex mutex;
int users = 0;

/// Never destroyed: threads may ask while the process ends.
std::shared_ptr<const NvmlDriver>& current() {
  static auto& driver = *new std::shared_ptr<const NvmlDriver>;
  return driver;
}

}  // namespace

nvmlReturn_t nvml_initialise() {
  const std::lock_guard lock(mutex);
  if (users == 0) {
    auto driver = read_driver();
    if (!driver) {
      base::log(base::LogLevel::Warning, "stand-in for NVML: " + driver.error().message);
      return NVML_ERROR_DRIVER_NOT_LOADED;
    }
    current() = std::make_shared<const NvmlDriver>(std::move(driver).value());
    base::log(base::LogLevel::Info,
              "stand-in for NVML: tells of the devices of " + current()->library);
  }
  ++users;
  return NVML_SUCCESS;
}

nvmlReturn_t nvml_shut_down() {
  const std::lock_guard lock(mutex);
  if (users == 0) return NVML_ERROR_UNINITIALIZED;
  if (--users == 0) current().reset();
  return NVML_SUCCESS;
}

std::shared_ptr<const NvmlDriver> nvml_driver() {
  const std::lock_guard lock(mutex);
  return current();
}

NvmlHandle handle_of(const NvmlDevice& device) {
  return reinterpret_cast<NvmlHandle>(static_cast<std::uintptr_t>(device.index) + 1);
}

}  // namespace pycuda::standins
