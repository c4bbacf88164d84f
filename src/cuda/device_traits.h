// SPDX-License-Identifier: MIT
// The properties of a device that decide which code suits it: the one place above the driver table
// that asks which driver is loaded.
#pragma once

#include "cuda/device.h"

namespace pycuda::cuda {

struct DeviceTraits {
  int capability = 0;      ///< 80 for 8.0; 0: unknown
  int driver_version = 0;  ///< as cuDriverGetVersion gives it (12040); 0: unknown
  /// The CPU driver's: it takes PTX and no machine code, and device memory is the host's.
  bool is_cpu = false;
  /// Threads of a block run one after the other, or side by side in vectors, on one core of a
  /// processor: few threads with loops are fast there, and waiting for each other is not.
  bool serial_threads = false;
  int multiprocessors = 1;
};

/// Asks the driver: keep the answer. Throws DriverError.
DeviceTraits read_device_traits(const Device& device);

/// Of the current context's device, else of the first device; read once, then remembered. What is
/// unknown stays as it is above. Nothing is known while no driver is in use: asking must not start
/// one.
DeviceTraits current_device_traits();

}  // namespace pycuda::cuda
