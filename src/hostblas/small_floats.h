// SPDX-License-Identifier: MIT
// Half precision and bfloat16, as bits.
#pragma once

#include <bit>
#include <cstdint>

namespace pycuda::hostblas {

struct Half {
  std::uint16_t bits;
};
struct Bfloat16 {
  std::uint16_t bits;
};

inline float to_float(Bfloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16U);
}

inline float to_float(Half value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000U) << 16U;
  const std::uint32_t exponent = (value.bits >> 10U) & 31U;
  const std::uint32_t fraction = value.bits & 0x3ffU;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000U | fraction << 13U);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23U | fraction << 13U);
  // Subnormal: a multiple of 2^-24, which a float holds exactly.
  const float size = static_cast<float>(fraction) * 0x1p-24F;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(size));
}

/// To the nearest, ties to even.
inline Bfloat16 to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return {static_cast<std::uint16_t>(bits >> 16U | 0x40U)};
  return {static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U)};
}

/// To the nearest, ties to even.
inline Half to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16U & 0x8000U);
  const std::uint32_t size = bits & 0x7fffffffU;
  const auto with_sign = [&](std::uint32_t half) {
    return Half{static_cast<std::uint16_t>(sign | half)};
  };
  if (size > 0x7f800000U) return with_sign(0x7e00U);
  if (size >= 0x477ff000U) return with_sign(0x7c00U);  // rounds to 65536 or more
  if (size < 0x38800000U) {
    // Subnormal: adding 2^-1 * 2^0 leaves multiples of 2^-24 in the fraction, rounded.
    const float sum = std::bit_cast<float>(size) + 0.5F;
    return with_sign(std::bit_cast<std::uint32_t>(sum) - std::bit_cast<std::uint32_t>(0.5F));
  }
  const std::uint32_t rounded = size + 0xfffU + (size >> 13U & 1U);
  return with_sign((rounded >> 13U) - (112U << 10U));
}

}  // namespace pycuda::hostblas
