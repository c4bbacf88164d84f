// SPDX-License-Identifier: MIT
// cudaDeviceProp of CUDA 13, filled from the driver's attributes.
#pragma once

#include "cudart/call.h"

namespace pycuda::cudart {

cudaError_t read_properties(const DriverTable& driver, int device, cudaDeviceProp* properties);

}  // namespace pycuda::cudart
