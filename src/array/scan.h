// SPDX-License-Identifier: MIT
// Scans along an axis: cumulative sum, product, minimum and maximum.
#pragma once

#include "array/array_context.h"
#include "array/elementwise.h"

namespace pycuda::array {

/// The operation (sum, prod, max or min; TypeMismatch for others) and what it is computed in.
struct Scan {
  ReductionOp op;
  DType accumulated;
  int axis;
};

/// result[i] combines input[0] to input[i] along the axis; the same shape, any strides and types.
/// Does not block, but for compiling.
void run_scan(ArrayContext& context, const Scan& scan, const ArrayRef& result,
              const ArrayRef& input, CUstream stream);

}  // namespace pycuda::array
