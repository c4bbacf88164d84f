// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace pycuda::cpu::processor {

/// FPCR's FZ: results become zeros of their sign, operands count as such.
inline constexpr unsigned flush_subnormals = 1u << 24;

/// What operations on numbers give where no number is the result, as inf - inf.
inline constexpr bool own_nan_is_negative = false;

inline unsigned float_control() {
  std::uint64_t control = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return static_cast<unsigned>(control);
}
inline void set_float_control(unsigned control) {
  __asm__ volatile("msr fpcr, %0" : : "r"(std::uint64_t{control}) : "memory");
}

}  // namespace pycuda::cpu::processor
