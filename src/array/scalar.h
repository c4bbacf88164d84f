// SPDX-License-Identifier: MIT
// Scalar operands of array operations.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "array/dtype.h"

namespace pycuda::array {

/// An integer of 64 bits or a complex number.
struct Scalar {
  DType type = DType::I64;  ///< Bool, I64, U64, F64 or C128: which of the values counts
  std::uint64_t integer = 0;
  std::complex<double> number;

  /// Writes it as `as`, wrapping and rounding as a cast does; returns the bytes written.
  std::size_t write(DType as, std::byte* destination) const;
  /// Throws OutOfRange if it is an integer that the integer type `as` does not hold.
  void check_fits(DType as) const;
  /// The same as an answer.
  bool fits(DType as) const;
};

/// The number as the nearest float16 or bfloat16.
Scalar rounded(const Scalar& scalar, DType to);

}  // namespace pycuda::array
