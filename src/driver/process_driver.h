// SPDX-License-Identifier: MIT
// The process's driver: the default for callers that are not given one.
#pragma once

#include <stdexcept>

#include "driver/loader.h"

namespace pycuda::driver {

/// No driver is available; the text says what is missing and which command fixes it.
class DriverUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The driver that PYCUDA_DRIVER asks for, loaded by the first call (by any thread) and kept for
/// good. Throws DriverUnavailable; the next call then tries again.
const DriverTable& process_driver();

/// The same with where it came from.
const LoadedDriver& process_driver_origin();

/// Whether process_driver() has loaded one; loads nothing.
bool process_driver_loaded() noexcept;

}  // namespace pycuda::driver
