// SPDX-License-Identifier: MIT
// cuBLAS's types and constants, declared here so that its wheel is not needed to build.
#pragma once

#include "hostblas/types.h"

namespace pycuda::cublas {

using namespace hostblas;

enum Status {
  kSuccess = 0,
  kNotInitialized = 1,
  kAllocFailed = 3,
  kInvalidValue = 7,
  kMappingError = 11,
  kExecutionFailed = 13,
  kInternalError = 14,
  kNotSupported = 15,
};

enum PointerMode { kHostPointers = 0, kDevicePointers = 1 };

enum ComputeType {
  kCompute16 = 64,
  kCompute16Pedantic = 65,
  kCompute32 = 68,
  kCompute32Pedantic = 69,
  kCompute64 = 70,
  kCompute64Pedantic = 71,
  kComputeInt = 72,
  kComputeIntPedantic = 73,
  kCompute32Fast16 = 74,
  kCompute32FastBfloat16 = 75,
  kCompute32FastTf32 = 77,
};

}  // namespace pycuda::cublas
