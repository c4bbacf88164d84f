// SPDX-License-Identifier: MIT
// Whether any stream is being captured, and calls that must not disturb a capture.
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
  explicit CaptureTolerance(const driver::DriverTable& driver) noexcept
      : driver_(driver), before_(any_capture() ? relax(driver) : unchanged) {}
  CaptureTolerance(const CaptureTolerance&) = delete;
  CaptureTolerance& operator=(const CaptureTolerance&) = delete;
  ~CaptureTolerance() {
    if (before_ != unchanged) [[unlikely]]
      restore(driver_, before_);
  }

 private:
  static constexpr int unchanged = -1;
  // Without `this`, so that the members can stay in registers.
  [[gnu::cold]] static int relax(const driver::DriverTable& driver) noexcept;
  [[gnu::cold]] static void restore(const driver::DriverTable& driver, int before) noexcept;

  const driver::DriverTable& driver_;
  const int before_;
};

}  // namespace pycuda::cuda
