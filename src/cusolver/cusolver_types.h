// SPDX-License-Identifier: MIT
// cuSOLVER's types and constants, declared here so that its headers are not needed to build.
#pragma once

#include "hostblas/types.h"

namespace pycuda::cusolver {

using namespace hostblas;

enum Status {
  kSuccess = 0,
  kNotInitialized = 1,
  kAllocFailed = 2,
  kInvalidValue = 3,
  kExecutionFailed = 6,
  kInternalError = 7,
  kNotSupported = 9,
  kZeroPivot = 10,
};

/// Which pair of matrices an eigenvalue belongs to: A x = w B x, A B x = w x, B A x = w x.
enum Problem { kAxBx = 1, kABx = 2, kBAx = 3 };
enum Mode { kNoVectors = 0, kVectors = 1 };
enum Range { kAll = 1001, kByIndex = 1002, kByValue = 1003 };

}  // namespace pycuda::cusolver
