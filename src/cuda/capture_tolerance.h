// SPDX-License-Identifier: MIT
// Whether anything is captured, and calls that have nothing to do with what is.
#pragma once

#include <atomic>

#include "driver/table.h"

namespace pycuda::cuda {

namespace internal {

/// Captures of this library in the process.
inline constinit std::atomic<int> captures_under_way{0};

}  // namespace internal

/// Whether this library captures anything, on whatever thread.
inline bool any_capture() noexcept {
  return internal::captures_under_way.load(std::memory_order_relaxed) != 0;
}

/// Lets calls through while it lives that the driver forbids threads that capture because they
/// might wait: allocations and releases, which do not concern what is captured. Does nothing when
/// nothing is captured.
class [[nodiscard]] CaptureTolerance {
 public:
  explicit CaptureTolerance(const driver::DriverTable& driver) noexcept {
    if (any_capture()) [[unlikely]]
      begin(driver);
  }
  CaptureTolerance(const CaptureTolerance&) = delete;
  CaptureTolerance& operator=(const CaptureTolerance&) = delete;
  ~CaptureTolerance() {
    if (driver_ != nullptr) [[unlikely]]
      end();
  }

 private:
  [[gnu::cold]] void begin(const driver::DriverTable& driver) noexcept;
  [[gnu::cold]] void end() noexcept;

  const driver::DriverTable* driver_ = nullptr;
  CUstreamCaptureMode before_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace pycuda::cuda
