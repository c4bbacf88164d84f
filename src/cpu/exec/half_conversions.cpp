// SPDX-License-Identifier: MIT
#include "cpu/exec/half_conversions.h"

#include <bit>
#include <cmath>

#include "cpu/processor/half_register.h"

namespace pycuda::cpu::exec {
namespace {

/// `value` as a float whose last bit tells of what was cut off: rounding that once more to fewer
/// bits gives what rounding `value` itself would ("round to odd").
float to_odd(double value) {
  const float near = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(near) == value) return near;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(near);
  if (std::fabs(static_cast<double>(near)) > std::fabs(value)) --bits;
  return std::bit_cast<float>(bits | 1u);
}

using processor::half_register, processor::HalfRegister;

extern "C" {
HalfRegister pycuda_cpu_truncate_f32_f16(float value) { return half_register(half_bits(value)); }
HalfRegister pycuda_cpu_truncate_f64_f16(double value) { return half_register(half_bits(value)); }
HalfRegister pycuda_cpu_truncate_f32_bf16(float value) { return half_register(bfloat_bits(value)); }
HalfRegister pycuda_cpu_truncate_f64_bf16(double value) {
  return half_register(bfloat_bits(value));
}
float pycuda_cpu_extend_f16_f32(HalfRegister value) {
  return half_value(processor::half_bits_in(value));
}
}

}  // namespace

std::uint16_t half_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return static_cast<std::uint16_t>(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
  if (magnitude >= 0x47800000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {
    // Subnormal or zero: adding 2^-1 puts the last bit of an f16 subnormal at the last bit of a
    // float.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
  }
  const std::uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

std::uint16_t half_bits(double value) { return half_bits(to_odd(value)); }

std::uint16_t bfloat_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

std::uint16_t bfloat_bits(double value) { return bfloat_bits(to_odd(value)); }

float half_value(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u)
    return std::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  constexpr std::uint32_t least_normal = 0x400, exponents_apart = 112u << 23;
  // No subnormal float comes up: a kernel may run with those flushed.
  const std::uint32_t value =
      magnitude < least_normal
          ? std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-24f)
          : (magnitude << 13) + exponents_apart;
  return std::bit_cast<float>(sign | value);
}

std::span<const RuntimeSymbol> half_symbols() {
  static const RuntimeSymbol symbols[] = {
      {"__truncsfhf2", reinterpret_cast<void*>(&pycuda_cpu_truncate_f32_f16)},
      {"__truncdfhf2", reinterpret_cast<void*>(&pycuda_cpu_truncate_f64_f16)},
      {"__truncsfbf2", reinterpret_cast<void*>(&pycuda_cpu_truncate_f32_bf16)},
      {"__truncdfbf2", reinterpret_cast<void*>(&pycuda_cpu_truncate_f64_bf16)},
      {"__extendhfsf2", reinterpret_cast<void*>(&pycuda_cpu_extend_f16_f32)},
  };
  return symbols;
}

}  // namespace pycuda::cpu::exec
