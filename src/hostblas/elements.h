// SPDX-License-Identifier: MIT
// Elements of matrices whose type is known only when the program runs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "hostblas/small_floats.h"
#include "hostblas/types.h"

namespace pycuda::hostblas {

inline std::size_t bytes_of(DataType type) {
  switch (type) {
    case kInt8:
      return 1;
    case kHalf:
    case kBfloat16:
      return 2;
    case kFloat:
    case kInt32:
      return 4;
    case kDouble:
    case kComplexFloat:
      return 8;
    case kComplexDouble:
      return 16;
  }
  return 0;
}

template <class T>
T load(const void* place, DataType type, Int index) {
  switch (type) {
    case kInt8:
      return T(static_cast<Real<T>>(static_cast<const std::int8_t*>(place)[index]));
    case kInt32:
      return T(static_cast<Real<T>>(static_cast<const std::int32_t*>(place)[index]));
    case kHalf:
      return T(static_cast<Real<T>>(to_float(static_cast<const Half*>(place)[index])));
    case kBfloat16:
      return T(static_cast<Real<T>>(to_float(static_cast<const Bfloat16*>(place)[index])));
    case kFloat:
      return T(static_cast<Real<T>>(static_cast<const float*>(place)[index]));
    case kDouble:
      return T(static_cast<Real<T>>(static_cast<const double*>(place)[index]));
    default:
      break;
  }
  if constexpr (is_complex<T>) {
    if (type == kComplexFloat) return T(static_cast<const ComplexFloat*>(place)[index]);
    if (type == kComplexDouble) {
      const ComplexDouble value = static_cast<const ComplexDouble*>(place)[index];
      return {static_cast<Real<T>>(value.real()), static_cast<Real<T>>(value.imag())};
    }
  }
  return T{};
}

/// Sums that leave 32 bits wrap, as in hardware.
inline std::int32_t wrapped(double value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(value)));
}

/// To the nearest, ties to even, within the type's range.
inline std::int8_t saturated(double value) {
  return static_cast<std::int8_t>(std::clamp(std::nearbyint(value), -128.0, 127.0));
}

template <class T>
void store(void* place, DataType type, Int index, T value) {
  if constexpr (is_complex<T>) {
    static_cast<T*>(place)[index] = value;
  } else {
    switch (type) {
      case kHalf:
        static_cast<Half*>(place)[index] = to_half(static_cast<float>(value));
        break;
      case kBfloat16:
        static_cast<Bfloat16*>(place)[index] = to_bfloat16(static_cast<float>(value));
        break;
      case kInt8:
        static_cast<std::int8_t*>(place)[index] = saturated(static_cast<double>(value));
        break;
      case kInt32:
        static_cast<std::int32_t*>(place)[index] = wrapped(static_cast<double>(value));
        break;
      case kDouble:
        static_cast<double*>(place)[index] = static_cast<double>(value);
        break;
      default:
        static_cast<float*>(place)[index] = static_cast<float>(value);
        break;
    }
  }
}

}  // namespace pycuda::hostblas
