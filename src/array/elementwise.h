// SPDX-License-Identifier: MIT
// Runs elementwise operations: any strides, broadcasting, scalars, conversions in the kernel.
#pragma once

#include <span>

#include "array/array_context.h"
#include "array/layout.h"
#include "array/scalar.h"

namespace pycuda::array {

class Fusion;

/// An array in device memory.
struct ArrayRef {
  CUdeviceptr address = 0;
  DType type = DType::Raw;
  std::int64_t item_bytes = 0;
  const Layout* layout = nullptr;
};

/// Whether some byte may belong to both.
bool overlap(const ArrayRef& a, const ArrayRef& b);
/// The same, but for arrays that lie between each other's elements, as columns of a matrix do.
bool share_elements(const ArrayRef& a, const ArrayRef& b);

/// An array or a number.
struct Operand {
  ArrayRef array;  ///< without a layout: `scalar` is the operand
  Scalar scalar;
};

/// result[i] = ufunc(operands[i]...): operands broadcast to the result's shape (ShapeMismatch
/// otherwise). Where an operand overlaps the result in another order, it is copied first.
/// Does not block, but for compiling.
void run_elementwise(ArrayContext& context, Ufunc ufunc, const UfuncTypes& types,
                     const ArrayRef& result, std::span<const Operand> operands, CUstream stream);

/// Each result[i] is what the fusion computes of operands[i]...: the results have one shape, to
/// which the operands broadcast (ShapeMismatch otherwise); no two results overlap. Otherwise as
/// run_elementwise. `fusion` is finished.
void run_fused(ArrayContext& context, const Fusion& fusion, std::span<const ArrayRef> results,
               std::span<const ArrayRef> operands, CUstream stream);

/// Copies elements, converting them: between raw types only of equal size.
void copy_elements(ArrayContext& context, const ArrayRef& result, const ArrayRef& source,
                   CUstream stream);
/// Every element of `result` becomes `value`, converted to its type, which is not Raw.
void fill_elements(ArrayContext& context, const ArrayRef& result, const Scalar& value,
                   CUstream stream);
/// Every element of `result` becomes the bytes at `value` (one item of its type).
void fill_elements(ArrayContext& context, const ArrayRef& result, const std::byte* value,
                   CUstream stream);

}  // namespace pycuda::array
