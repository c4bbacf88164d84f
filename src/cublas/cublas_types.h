// SPDX-License-Identifier: MIT
// cuBLAS's types and constants, declared here so that its wheel is not needed to build.
#pragma once

#include "cublas/statuses.h"
#include "hostblas/types.h"

namespace pycuda::cublas {

using namespace hostblas;

enum PointerMode { kHostPointers = 0, kDevicePointers = 1 };

}  // namespace pycuda::cublas
