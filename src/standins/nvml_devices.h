// SPDX-License-Identifier: MIT
// The devices that NVML lists: those of the CUDA driver beside this library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/dynlib.h"
#include "base/result.h"

namespace pycuda::standins {

struct NvmlDevice {
  unsigned index = 0;
  std::string name;
  std::string uuid;    ///< "GPU-xxxxxxxx-..."
  std::string bus_id;  ///< "0000:00:00.0"
  unsigned domain = 0, bus = 0, slot = 0;
  std::uint64_t memory = 0;
  int compute_major = 0, compute_minor = 0;
  unsigned clock_mhz = 0, memory_clock_mhz = 0;
  unsigned memory_bus_bits = 0, multiprocessors = 0;
};

struct NvmlDriver {
  int cuda_version = 0;
  std::string library;  ///< the driver's file
  std::vector<NvmlDevice> devices;
};

/// Asks the driver; no context is made.
base::Result<NvmlDriver> read_driver();

}  // namespace pycuda::standins
