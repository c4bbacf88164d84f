// SPDX-License-Identifier: MIT
// The types and constants that CUDA's libraries of dense matrices have in common, declared here so
// that their headers are not needed to build.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

namespace pycuda::hostblas {

enum Operation { kNone = 0, kTransposed = 1, kConjugated = 2 };
enum Fill { kLower = 0, kUpper = 1, kFull = 2 };
enum Diagonal { kNonUnit = 0, kUnit = 1 };
enum Side { kLeft = 0, kRight = 1 };

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

inline bool is_operation(Operation operation) {
  return operation >= kNone && operation <= kConjugated;
}
inline bool is_triangle(Fill fill) { return fill == kLower || fill == kUpper; }
inline bool is_diagonal(Diagonal diagonal) { return diagonal == kNonUnit || diagonal == kUnit; }
inline bool is_side(Side side) { return side == kLeft || side == kRight; }

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

template <class T>
constexpr char letter() {
  if constexpr (std::is_same_v<T, float>) return 's';
  if constexpr (std::is_same_v<T, double>) return 'd';
  if constexpr (std::is_same_v<T, ComplexFloat>) return 'c';
  return 'z';
}

}  // namespace pycuda::hostblas
