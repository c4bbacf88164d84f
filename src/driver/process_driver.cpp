// SPDX-License-Identifier: MIT
// The one driver of the process, loaded by whoever asks first.
#include "driver/process_driver.h"

#include <atomic>
#include <mutex>

namespace pycuda::driver {
namespace {

/// Written once; never deleted, since threads and destructors may use it until the very end.
std::atomic<const LoadedDriver*> loaded_driver{nullptr};
/// Held while loading.
std::mutex loading;

}  // namespace

const LoadedDriver& process_driver_origin() {
  if (const LoadedDriver* driver = loaded_driver.load(std::memory_order_acquire)) return *driver;
  const std::lock_guard lock(loading);
  if (const LoadedDriver* driver = loaded_driver.load(std::memory_order_acquire)) return *driver;
  base::Result<LoadedDriver> loaded = load_driver(default_search());
  if (!loaded) throw DriverUnavailable(loaded.error().message);
  const auto* driver = new LoadedDriver(std::move(*loaded));
  loaded_driver.store(driver, std::memory_order_release);
  return *driver;
}

const DriverTable& process_driver() { return process_driver_origin().table; }

bool process_driver_loaded() noexcept {
  return loaded_driver.load(std::memory_order_acquire) != nullptr;
}

}  // namespace pycuda::driver
