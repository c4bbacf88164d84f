// SPDX-License-Identifier: MIT
// cuBLAS's types and constants, declared here so that its wheel is not needed to build.
#pragma once

#include <complex>
#include <cstdint>

namespace pycuda::cublas {

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

enum Operation { kNone = 0, kTransposed = 1, kConjugated = 2 };
enum Fill { kLower = 0, kUpper = 1, kFull = 2 };
enum Diagonal { kNonUnit = 0, kUnit = 1 };
enum Side { kLeft = 0, kRight = 1 };
enum PointerMode { kHostPointers = 0, kDevicePointers = 1 };

/// cudaDataType.
enum DataType {
  kFloat = 0,
  kDouble = 1,
  kHalf = 2,
  kInt8 = 3,
  kComplexFloat = 4,
  kComplexDouble = 5,
  kInt32 = 10,
  kBfloat16 = 14,
};

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

using Int = std::int64_t;
using ComplexFloat = std::complex<float>;
using ComplexDouble = std::complex<double>;

template <class T>
struct RealOf {
  using Type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using Type = T;
};
/// float of float and of std::complex<float>.
template <class T>
using Real = typename RealOf<T>::Type;

template <class T>
inline constexpr bool is_complex = !std::is_same_v<T, Real<T>>;

template <class T>
T conjugate(T value) {
  if constexpr (is_complex<T>) {
    return std::conj(value);
  } else {
    return value;
  }
}

}  // namespace pycuda::cublas
