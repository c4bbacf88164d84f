// SPDX-License-Identifier: MIT
// Which types of matrices are multiplied in which.
#pragma once

#include <optional>

#include "hostblas/types.h"

namespace pycuda::hostblas {

/// cublasComputeType_t.
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

/// What is computed in: the narrowest of BLAS's types that loses nothing of the documented one.
enum class Inner { Float, Double, SingleComplex, DoubleComplex, Integer };

struct Kind {
  Inner inner;
  DataType scale;  ///< the type of alpha and beta
};

/// The documented combinations; nothing for others.
inline std::optional<Kind> kind_of(DataType a, DataType b, DataType c, int compute) {
  if (b != a) return std::nullopt;
  switch (compute) {
    case kCompute16:
    case kCompute16Pedantic:
      if (a == kHalf && c == kHalf) return Kind{Inner::Float, kHalf};
      break;
    case kCompute32:
    case kCompute32Pedantic:
    case kCompute32Fast16:
    case kCompute32FastBfloat16:
    case kCompute32FastTf32:
      if ((a == kHalf || a == kBfloat16 || a == kInt8) && (c == a || c == kFloat) && c != kInt8)
        return Kind{Inner::Float, kFloat};
      if (a == kFloat && c == kFloat) return Kind{Inner::Float, kFloat};
      if (a == kComplexFloat && c == kComplexFloat)
        return Kind{Inner::SingleComplex, kComplexFloat};
      break;
    case kCompute64:
    case kCompute64Pedantic:
      if (a == kDouble && c == kDouble) return Kind{Inner::Double, kDouble};
      if (a == kComplexDouble && c == kComplexDouble)
        return Kind{Inner::DoubleComplex, kComplexDouble};
      break;
    case kComputeInt:
    case kComputeIntPedantic:
      if (a == kInt8 && c == kInt32) return Kind{Inner::Integer, kInt32};
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace pycuda::hostblas
