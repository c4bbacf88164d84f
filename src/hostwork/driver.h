// SPDX-License-Identifier: MIT
// The CUDA driver functions that libraries with host implementations call.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace pycuda::hostwork {

struct Driver {
  decltype(&::cuInit) init = nullptr;
  decltype(&::cuCtxGetCurrent) current = nullptr;
  decltype(&::cuCtxSetCurrent) set_current = nullptr;
  decltype(&::cuDevicePrimaryCtxRetain) retain_primary = nullptr;
  decltype(&::cuDeviceGetName) device_name = nullptr;
  decltype(&::cuCtxGetDevice) device = nullptr;
  decltype(&::cuLaunchHostFunc) launch = nullptr;
  decltype(&::cuStreamSynchronize) synchronize = nullptr;
  decltype(&::cuStreamIsCapturing) is_capturing = nullptr;
  decltype(&::cuPointerGetAttributes) pointer = nullptr;
  decltype(&::cuMemcpyAsync) copy = nullptr;
  decltype(&::cuMemcpy2DAsync_v2) copy_2d = nullptr;
  bool is_cpu = false;  ///< the CPU driver: device memory is memory of this process
};

/// The process's driver, or null: there is none, or it is a GPU's. The log says which.
const Driver* driver();

/// The current context, or the first device's primary one, which it makes current, as the run-time
/// library does. Null when there is none.
CUcontext context_of_thread();

/// Whether all bytes lie in memory that the driver knows. Nothing lies anywhere.
bool is_device_memory(const void* address, std::uint64_t bytes);

}  // namespace pycuda::hostwork
