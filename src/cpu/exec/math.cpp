// SPDX-License-Identifier: MIT
// Sines of large numbers, 8-bit floats and bit searches, and the list of all arithmetic symbols.
#include "cpu/exec/math.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace {

/// An 8-bit float format: exponent bias, mantissa bits, the code of the largest finite number and
/// of NaN.
struct SmallFormat {
  int bias;
  int mantissa_bits;
  std::uint32_t largest;
  std::uint32_t nan;
};
constexpr SmallFormat e4m3{7, 3, 0x7e, 0x7f};
constexpr SmallFormat e5m2{15, 2, 0x7b, 0x7f};

std::uint32_t to_small(float value, const SmallFormat& format) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return format.nan;
  const std::uint32_t sign = bits >> 24 & 0x80;
  const double magnitude = std::fabs(static_cast<double>(value));
  if (magnitude == 0) return sign;
  if (std::isinf(value)) return sign | format.largest;
  // Below the least normal exponent the step between codes stays the same.
  const int exponent = std::max(std::ilogb(magnitude), 1 - format.bias);
  const double steps = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent));
  const auto first_code = static_cast<std::uint32_t>(exponent + format.bias - 1)
                          << format.mantissa_bits;
  // A mantissa that rounds up to the next power of two carries into the exponent by itself. Large
  // values stop here, before their code could leave the format.
  if (exponent > 127 - format.bias) return sign | format.largest;
  const std::uint32_t code = first_code + static_cast<std::uint32_t>(steps);
  return sign | (code > format.largest ? format.largest : code);
}

float from_small(std::uint32_t byte, const SmallFormat& format, bool has_infinity) {
  const std::uint32_t code = byte & 0x7f;
  const int exponent_field = static_cast<int>(code >> format.mantissa_bits);
  const int mantissa = static_cast<int>(code & ((1u << format.mantissa_bits) - 1));
  const int top_exponent = (1 << (7 - format.mantissa_bits)) - 1;
  float magnitude = 0;
  if (has_infinity ? exponent_field == top_exponent && mantissa != 0 : code == format.nan) {
    magnitude = std::numeric_limits<float>::quiet_NaN();
  } else if (has_infinity && exponent_field == top_exponent) {
    magnitude = std::numeric_limits<float>::infinity();
  } else {
    const int hidden = exponent_field == 0 ? 0 : 1 << format.mantissa_bits;
    const int exponent =
        (exponent_field == 0 ? 1 : exponent_field) - format.bias - format.mantissa_bits;
    magnitude = std::ldexp(static_cast<float>(hidden + mantissa), exponent);
  }
  return (byte & 0x80) != 0 ? -magnitude : magnitude;
}

}  // namespace

extern "C" {

float pycuda_cpu_sin_f32(float a) { return static_cast<float>(std::sin(static_cast<double>(a))); }
float pycuda_cpu_cos_f32(float a) { return static_cast<float>(std::cos(static_cast<double>(a))); }
float pycuda_cpu_tan_f32(float a) { return static_cast<float>(std::tan(static_cast<double>(a))); }

std::uint32_t pycuda_cpu_e4m3_from_f32(float a) { return to_small(a, e4m3); }
std::uint32_t pycuda_cpu_e5m2_from_f32(float a) { return to_small(a, e5m2); }
float pycuda_cpu_f32_from_e4m3(std::uint32_t byte) { return from_small(byte, e4m3, false); }
float pycuda_cpu_f32_from_e5m2(std::uint32_t byte) { return from_small(byte, e5m2, true); }

std::uint32_t pycuda_cpu_find_nth_set(std::uint32_t mask, std::uint32_t base, std::int32_t n) {
  constexpr std::uint32_t none = ~0u;
  if (base > 31) return none;
  if (n == 0) return (mask >> base & 1) != 0 ? base : none;
  const int step = n > 0 ? 1 : -1;
  std::int64_t missing = n > 0 ? n : -static_cast<std::int64_t>(n);
  for (int position = static_cast<int>(base); position >= 0 && position < 32; position += step) {
    if ((mask >> position & 1) != 0 && --missing == 0) return static_cast<std::uint32_t>(position);
  }
  return none;
}
}

namespace pycuda::cpu::exec {
std::span<const RuntimeSymbol> math_symbols() {
  static const std::array symbols = {
      runtime_symbol("pycuda_cpu_add_f64", pycuda_cpu_add_f64),
      runtime_symbol("pycuda_cpu_sub_f64", pycuda_cpu_sub_f64),
      runtime_symbol("pycuda_cpu_mul_f64", pycuda_cpu_mul_f64),
      runtime_symbol("pycuda_cpu_div_f64", pycuda_cpu_div_f64),
      runtime_symbol("pycuda_cpu_fma_f64", pycuda_cpu_fma_f64),
      runtime_symbol("pycuda_cpu_sqrt_f64", pycuda_cpu_sqrt_f64),
      runtime_symbol("pycuda_cpu_f64_from_s64", pycuda_cpu_f64_from_s64),
      runtime_symbol("pycuda_cpu_f64_from_u64", pycuda_cpu_f64_from_u64),
      runtime_symbol("pycuda_cpu_sin_f32", pycuda_cpu_sin_f32),
      runtime_symbol("pycuda_cpu_cos_f32", pycuda_cpu_cos_f32),
      runtime_symbol("pycuda_cpu_tan_f32", pycuda_cpu_tan_f32),
      runtime_symbol("pycuda_cpu_e4m3_from_f32", pycuda_cpu_e4m3_from_f32),
      runtime_symbol("pycuda_cpu_e5m2_from_f32", pycuda_cpu_e5m2_from_f32),
      runtime_symbol("pycuda_cpu_f32_from_e4m3", pycuda_cpu_f32_from_e4m3),
      runtime_symbol("pycuda_cpu_f32_from_e5m2", pycuda_cpu_f32_from_e5m2),
      runtime_symbol("pycuda_cpu_find_nth_set", pycuda_cpu_find_nth_set),
      // What LLVM calls where the machine lacks an instruction.
      runtime_symbol<double(double, double, double)>("fma", ::fma),
      runtime_symbol<float(float, float, float)>("fmaf", ::fmaf),
      runtime_symbol<double(double)>("floor", ::floor),
      runtime_symbol<float(float)>("floorf", ::floorf),
      runtime_symbol<double(double)>("ceil", ::ceil),
      runtime_symbol<float(float)>("ceilf", ::ceilf),
      runtime_symbol<double(double)>("trunc", ::trunc),
      runtime_symbol<float(float)>("truncf", ::truncf),
      runtime_symbol<double(double)>("roundeven", ::roundeven),
      runtime_symbol<float(float)>("roundevenf", ::roundevenf),
  };
  return symbols;
}

}  // namespace pycuda::cpu::exec
