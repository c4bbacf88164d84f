// SPDX-License-Identifier: MIT
// Of a processor whose flags are not known: nothing flushes.
#pragma once

namespace pycuda::cpu::processor {

inline constexpr unsigned flush_subnormals = 0;

inline unsigned float_control() { return 0; }
inline void set_float_control(unsigned) {}

}  // namespace pycuda::cpu::processor
