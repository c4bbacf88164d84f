// SPDX-License-Identifier: MIT
#pragma once

#include <xmmintrin.h>

namespace pycuda::cpu::processor {

/// MXCSR's FTZ and DAZ: results become zeros of their sign, operands count as such.
inline constexpr unsigned flush_subnormals = 0x8040;

/// What operations on numbers give where no number is the result, as inf - inf.
inline constexpr bool own_nan_is_negative = true;

inline unsigned float_control() { return _mm_getcsr(); }
inline void set_float_control(unsigned control) { _mm_setcsr(control); }

}  // namespace pycuda::cpu::processor
