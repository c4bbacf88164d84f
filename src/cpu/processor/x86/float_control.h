// SPDX-License-Identifier: MIT
#pragma once

#include <xmmintrin.h>

namespace pycuda::cpu::processor {

/// MXCSR's FTZ and DAZ: results become zeros of their sign, operands count as such.
inline constexpr unsigned flush_subnormals = 0x8040;

inline unsigned float_control() { return _mm_getcsr(); }
inline void set_float_control(unsigned control) { _mm_setcsr(control); }

}  // namespace pycuda::cpu::processor
