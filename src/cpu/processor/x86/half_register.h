// SPDX-License-Identifier: MIT
// The low bits of xmm0.
#pragma once

#include <emmintrin.h>

#include <cstdint>

namespace pycuda::cpu::processor {

using HalfRegister = __m128i;

inline HalfRegister half_register(std::uint16_t bits) { return _mm_cvtsi32_si128(bits); }
inline std::uint16_t half_bits_in(HalfRegister value) {
  return static_cast<std::uint16_t>(_mm_cvtsi128_si32(value));
}

}  // namespace pycuda::cpu::processor
