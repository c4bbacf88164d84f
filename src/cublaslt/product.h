// SPDX-License-Identifier: MIT
// One call's product, D = f(alpha op(A) op(B) + beta C), after its descriptors have been checked.
#pragma once

#include "cublaslt/descriptors.h"
#include "cublaslt/layouts.h"

namespace pycuda::cublaslt {

/// What the sums are scaled and finished in.
enum class Finish { Float, Double, SingleComplex, DoubleComplex, Integer };

struct Product {
  MatmulDescriptor how;
  MatrixLayout a, b, c, d;
  Int m = 0, n = 0, k = 0, count = 1;
  Inner inner = Inner::Float;
  Finish finish = Finish::Float;
  DataType scale = kFloat;
  DataType bias = kFloat;
  DataType auxiliary = kFloat;

  bool has(Epilogue part) const { return (how.epilogue & part) != 0; }
  Operation operation_a() const { return static_cast<Operation>(how.operation_a); }
  Operation operation_b() const { return static_cast<Operation>(how.operation_b); }
  /// Whether `how.bias` is a vector that is written.
  bool writes_bias() const {
    return has(kBiasGradient) || has(kBiasGradientOfA) || has(kBiasGradientOfB);
  }
  Int bias_length() const { return has(kBiasGradientOfB) ? n : m; }
};

/// Refuses descriptors that do not fit each other, and what is not supported.
Product product_of(const MatmulDescriptor* how, const MatrixLayout* a, const MatrixLayout* b,
                   const MatrixLayout* c, const MatrixLayout* d);

/// Whether the types are multiplied at all.
bool is_supported(int compute, int scale, int a, int b, int c, int d);

}  // namespace pycuda::cublaslt
