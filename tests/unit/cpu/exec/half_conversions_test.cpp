// SPDX-License-Identifier: MIT
#include "cpu/exec/half_conversions.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace pycuda::cpu::exec {

TEST_CASE("every f16 survives the way to f32 and back") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = half_value(half);
    if (std::isnan(value)) {
      REQUIRE(half_bits(value) == (half | 0x200));
    } else {
      REQUIRE(half_bits(value) == half);
      REQUIRE(half_bits(static_cast<double>(value)) == half);
    }
  }
}

TEST_CASE("halfway cases go to even, and what lies just beside them does not") {
  CHECK(half_bits(1.0f + 0x1p-11f) == 0x3c00);
  CHECK(half_bits(1.0f + 0x3p-11f) == 0x3c02);
  CHECK(half_bits(1.0 + 0x1p-11 + 0x1p-40) == 0x3c01);
  CHECK(half_bits(0x1p-25f) == 0);
  CHECK(half_bits(0x1p-25 + 0x1p-60) == 1);
  CHECK(half_bits(65519.0f) == 0x7bff);
  CHECK(half_bits(65520.0f) == 0x7c00);
  CHECK(half_bits(-0.0f) == 0x8000);
  CHECK(bfloat_bits(1.0f + 0x1p-8f) == 0x3f80);
  CHECK(bfloat_bits(1.0 + 0x1p-8 + 0x1p-40) == 0x3f81);
  CHECK(bfloat_bits(std::numeric_limits<float>::max()) == 0x7f80);
  CHECK(bfloat_bits(std::bit_cast<float>(0x7f800001u)) == 0x7fc0);
}

}  // namespace pycuda::cpu::exec
