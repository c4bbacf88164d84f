// SPDX-License-Identifier: MIT
// Comparisons of 16-bit floats, which are compared as f32 at the end of the pipeline.
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::testing::LoadedModule;

namespace {

constexpr std::uint32_t patterns = 1u << 16;

float from_f16(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float value = std::ldexp(static_cast<float>(exponent == 0 ? fraction : fraction + 1024),
                           (exponent == 0 ? 1 : exponent) - 25);
  if (exponent == 31) value = fraction != 0 ? NAN : INFINITY;
  return (bits & 0x8000) != 0 ? -value : value;
}

float from_bf16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

/// One bit for each comparison of every pattern with `%b`.
std::string kernel_of(const std::string& type) {
  std::string text =
      ".visible .entry k(.param .u64 out, .param .u16 other) {\n"
      ".reg .b64 %out, %at; .reg .b32 %i, %n, %t, %all, %one; .reg .b16 %a, %b; .reg .pred %p;\n"
      "ld.param.u64 %out, [out]; ld.param.u16 %b, [other]; mov.u32 %i, %ctaid.x;\n"
      "mov.u32 %n, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %i, %n, %t;\n"
      "mul.wide.u32 %at, %i, 4; add.u64 %out, %out, %at; cvt.u16.u32 %a, %i; mov.u32 %all, 0;\n";
  std::uint32_t bit = 1;
  for (const char* comparison : {"lt", "le", "gt", "ge", "eq", "ne", "ltu", "equ", "num", "nan"}) {
    text += std::string("setp.") + comparison + "." + type + " %p, %a, %b; selp.u32 %one, " +
            std::to_string(bit) + ", 0, %p; or.b32 %all, %all, %one;\n";
    bit *= 2;
  }
  return text + "st.global.u32 [%out], %all; ret;\n}\n";
}

void check(const std::string& type, float (*value)(std::uint16_t)) {
  LoadedModule module(kernel_of(type));
  CHECK_MESSAGE(module.kernel("k").facts.gang_lanes != 0, module.kernel("k").facts.scalar_reason);
  std::vector<std::uint32_t> found(patterns), expected(patterns);
  for (const int pattern : {0x0000, 0x8000, 0x0001, 0x8001, 0x3c00, 0xbc00, 0x7bff, 0x7c00, 0xfc00,
                            0x7c01, 0x7f80, 0xff80, 0x7f81, 0x7fff}) {
    const auto other = static_cast<std::uint16_t>(pattern);
    const float b = value(other);
    for (std::uint32_t i = 0; i < patterns; ++i) {
      const float a = value(static_cast<std::uint16_t>(i));
      const bool nan = std::isnan(a) || std::isnan(b);
      std::uint32_t bits = 0, bit = 1;
      for (const bool holds : {a<b, a <= b, a> b, a >= b, a == b, !nan && a != b, nan || a < b,
                               nan || a == b, !nan, nan}) {
        bits |= holds ? bit : 0;
        bit *= 2;
      }
      expected[i] = bits;
    }
    module.run("k", Dim3{patterns / 256}, Dim3{256}, found.data(), other);
    CAPTURE(other);
    CHECK(found == expected);
  }
}

}  // namespace

TEST_CASE("every f16 compares as its value does") { check("f16", from_f16); }
TEST_CASE("every bf16 compares as its value does") { check("bf16", from_bf16); }
