// SPDX-License-Identifier: MIT
// cudaDeviceProp of CUDA 13, filled from the driver's attributes.
#pragma once

#include "cudart/call.h"

namespace pycuda::cudart {

cudaError_t read_properties(const DriverTable& driver, int device, cudaDeviceProp* properties);

/// The device that has most of the wanted properties: at least as much of each that is not 0.
cudaError_t choose_device(const DriverTable& driver, const cudaDeviceProp& wanted, int* device);

}  // namespace pycuda::cudart
