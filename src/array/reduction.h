// SPDX-License-Identifier: MIT
// Reductions along axes (sum, product, minimum, maximum) of arrays with any strides.
#pragma once

#include <span>

#include "array/array_context.h"
#include "array/elementwise.h"

namespace pycuda::array {

/// Along which axes: bit i stands for axis i.
using AxisSet = std::uint64_t;

struct Reduction {
  ReductionOp op;
  DType accumulated;  ///< what elements are converted to first; not float16
  AxisSet axes;
};

/// `result` has the axes that are kept, in order, and any strides. `second` is the other
/// operand of a dot product, of the same shape. Throws ShapeMismatch for an empty reduction without
/// an identity. Does not block, but for compiling.
void run_reduction(ArrayContext& context, const Reduction& reduction, const ArrayRef& result,
                   const ArrayRef& input, const ArrayRef* second, CUstream stream);

}  // namespace pycuda::array
