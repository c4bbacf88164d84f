// SPDX-License-Identifier: MIT
// NaNs that operations on f64 give, the same ones on every processor: as x86 makes them, and code
// compiled for kernels.
#pragma once

#include <cmath>
#include <limits>

#include "cpu/processor/float_control.h"

namespace pycuda::cpu::exec {

/// `result`, computed from `operands`. The NaN of an operand stays what it is.
template <class... Operands>
double with_negative_nan(double result, Operands... operands) {
  if constexpr (!processor::own_nan_is_negative) {
    const bool of_numbers = (!std::isnan(operands) && ...);
    if (std::isnan(result) && of_numbers) return -std::numeric_limits<double>::quiet_NaN();
  }
  return result;
}

/// `result`, computed as a * b + c in one step. Some processors forget the NaN c where the product
/// is invalid too.
inline double with_usual_nan_of_sum(double result, double a, double b, double c) {
  if constexpr (!processor::own_nan_is_negative) {
    if (std::isnan(c) && !std::isnan(a) && !std::isnan(b)) return c + c;
  }
  return with_negative_nan(result, a, b, c);
}

}  // namespace pycuda::cpu::exec
