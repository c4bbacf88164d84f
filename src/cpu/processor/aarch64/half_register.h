// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

namespace pycuda::cpu::processor {

using HalfRegister = __fp16;

inline HalfRegister half_register(std::uint16_t bits) { return std::bit_cast<HalfRegister>(bits); }
inline std::uint16_t half_bits_in(HalfRegister value) {
  return std::bit_cast<std::uint16_t>(value);
}

}  // namespace pycuda::cpu::processor
