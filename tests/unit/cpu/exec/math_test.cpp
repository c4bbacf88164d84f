// SPDX-License-Identifier: MIT
// Run-time arithmetic by itself; tests/ptx compares the instructions that use it with a GPU.
#include "cpu/exec/math.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

namespace {

constexpr std::uint32_t nearest = 1, toward_zero = 2, down = 3, up = 4;

constexpr double infinity = std::numeric_limits<double>::infinity();

double above(double value) { return std::nextafter(value, infinity); }
double below(double value) { return std::nextafter(value, -infinity); }

}  // namespace

TEST_CASE("a sum that no double holds is rounded in the direction asked for") {
  const double tiny = 0x1p-80;
  CHECK(pycuda_cpu_add_f64(1, tiny, nearest) == 1);
  CHECK(pycuda_cpu_add_f64(1, tiny, toward_zero) == 1);
  CHECK(pycuda_cpu_add_f64(1, tiny, down) == 1);
  CHECK(pycuda_cpu_add_f64(1, tiny, up) == above(1));
  CHECK(pycuda_cpu_sub_f64(1, tiny, down) == below(1));
  CHECK(pycuda_cpu_sub_f64(-1, tiny, toward_zero) == -1);
}

TEST_CASE("the rounding mode is what it was after a directed operation") {
  const volatile double one = 1, three = 3;
  const double before = one / three;
  pycuda_cpu_div_f64(one, three, up);
  CHECK(one / three == before);
}

TEST_CASE("directed quotients, roots and products enclose the exact result") {
  CHECK(pycuda_cpu_div_f64(1, 3, up) == above(pycuda_cpu_div_f64(1, 3, down)));
  CHECK(pycuda_cpu_sqrt_f64(2, up) == above(pycuda_cpu_sqrt_f64(2, down)));
  CHECK(pycuda_cpu_mul_f64(0.1, 0.1, up) == above(pycuda_cpu_mul_f64(0.1, 0.1, down)));
  CHECK(pycuda_cpu_fma_f64(0.1, 0.1, 1, up) == above(pycuda_cpu_fma_f64(0.1, 0.1, 1, down)));
}

TEST_CASE("exact results are the same in every rounding") {
  for (const std::uint32_t rounding : {nearest, toward_zero, down, up}) {
    CHECK(pycuda_cpu_fma_f64(3, 5, 7, rounding) == 22);
    CHECK(pycuda_cpu_sqrt_f64(49, rounding) == 7);
    CHECK(pycuda_cpu_f64_from_s64(-5, rounding) == -5);
    CHECK(pycuda_cpu_f64_from_u64(0, rounding) == 0);
  }
}

TEST_CASE("an overflow rounded toward zero is the largest number") {
  const double largest = std::numeric_limits<double>::max();
  CHECK(pycuda_cpu_mul_f64(largest, 2, toward_zero) == largest);
  CHECK(pycuda_cpu_mul_f64(largest, 2, up) == infinity);
  CHECK(pycuda_cpu_mul_f64(-largest, 2, up) == -largest);
}

TEST_CASE("where no number is the result it is the negative NaN, on every processor") {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  constexpr std::uint64_t own = 0xfff8000000000000;
  for (const std::uint32_t rounding : {nearest, toward_zero, down, up}) {
    CHECK(bits(pycuda_cpu_add_f64(infinity, -infinity, rounding)) == own);
    CHECK(bits(pycuda_cpu_sub_f64(infinity, infinity, rounding)) == own);
    CHECK(bits(pycuda_cpu_mul_f64(infinity, 0, rounding)) == own);
    CHECK(bits(pycuda_cpu_div_f64(0, 0, rounding)) == own);
    CHECK(bits(pycuda_cpu_fma_f64(infinity, 1, -infinity, rounding)) == own);
    CHECK(bits(pycuda_cpu_sqrt_f64(-1, rounding)) == own);
  }
}

TEST_CASE("the NaN of an operand keeps its sign and its bits, and becomes quiet") {
  const auto nan = [](std::uint64_t bits) { return std::bit_cast<double>(bits); };
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  constexpr std::uint64_t positive = 0x7ff8000000000123, signalling = 0x7ff0000000000123;
  for (const std::uint32_t rounding : {nearest, toward_zero, down, up}) {
    CHECK(bits(pycuda_cpu_add_f64(nan(positive), 1, rounding)) == positive);
    CHECK(bits(pycuda_cpu_mul_f64(2, nan(signalling), rounding)) == positive);
    CHECK(bits(pycuda_cpu_sqrt_f64(nan(positive), rounding)) == positive);
    // Of an invalid product and a NaN the NaN.
    CHECK(bits(pycuda_cpu_fma_f64(infinity, 0, nan(positive), rounding)) == positive);
    CHECK(bits(pycuda_cpu_fma_f64(infinity, 0, nan(signalling), rounding)) == positive);
  }
}

TEST_CASE("C++ rounds a product before it adds to it, on every processor") {
  const volatile double number = 1 + 0x1p-30, addend = -(1 + 0x1p-29);
  const double factor = number, minus = addend;
  CHECK(factor * factor + minus == 0);
}

TEST_CASE("64-bit integers that no double holds are rounded as asked") {
  const std::uint64_t largest = ~std::uint64_t{0};
  CHECK(pycuda_cpu_f64_from_u64(largest, up) == 0x1p64);
  CHECK(pycuda_cpu_f64_from_u64(largest, down) == below(0x1p64));
  const std::int64_t odd = (std::int64_t{1} << 53) + 1;
  CHECK(pycuda_cpu_f64_from_s64(odd, down) == 0x1p53);
  CHECK(pycuda_cpu_f64_from_s64(-odd, down) == below(-0x1p53));
}

TEST_CASE("every 8-bit float converts to f32 and back to itself") {
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    const float wide = pycuda_cpu_f32_from_e4m3(byte);
    if (std::isnan(wide)) {
      CHECK((byte & 0x7f) == 0x7f);
    } else {
      CHECK(pycuda_cpu_e4m3_from_f32(wide) == byte);
    }
    const float range = pycuda_cpu_f32_from_e5m2(byte);
    if (std::isfinite(range)) CHECK(pycuda_cpu_e5m2_from_f32(range) == byte);
  }
}

TEST_CASE("numbers beyond an 8-bit format become its largest number") {
  CHECK(pycuda_cpu_f32_from_e4m3(pycuda_cpu_e4m3_from_f32(1e30f)) == 448);
  CHECK(pycuda_cpu_f32_from_e4m3(pycuda_cpu_e4m3_from_f32(-465)) == -448);
  CHECK(pycuda_cpu_f32_from_e5m2(
            pycuda_cpu_e5m2_from_f32(std::numeric_limits<float>::infinity())) == 57344);
}

TEST_CASE("halfway cases of 8-bit floats round to even") {
  CHECK(pycuda_cpu_f32_from_e4m3(pycuda_cpu_e4m3_from_f32(17)) == 16);
  CHECK(pycuda_cpu_f32_from_e4m3(pycuda_cpu_e4m3_from_f32(19)) == 20);
  CHECK(pycuda_cpu_e4m3_from_f32(0x1p-10f) == 0);
  CHECK(pycuda_cpu_e4m3_from_f32(0x1.8p-10f) == 1);
}

TEST_CASE("the n-th set bit is found upwards and downwards") {
  constexpr std::uint32_t none = ~0u;
  CHECK(pycuda_cpu_find_nth_set(0b10110, 0, 1) == 1);
  CHECK(pycuda_cpu_find_nth_set(0b10110, 0, 3) == 4);
  CHECK(pycuda_cpu_find_nth_set(0b10110, 0, 4) == none);
  CHECK(pycuda_cpu_find_nth_set(0b10110, 31, -2) == 2);
  CHECK(pycuda_cpu_find_nth_set(0b10110, 2, 0) == 2);
  CHECK(pycuda_cpu_find_nth_set(0b10110, 3, 0) == none);
  CHECK(pycuda_cpu_find_nth_set(~0u, 31, std::numeric_limits<std::int32_t>::min()) == none);
}

TEST_CASE("sines of any size, and special values") {
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(pycuda_cpu_sin_f32(0x1p100f) == static_cast<float>(std::sin(0x1p100)));
  CHECK(pycuda_cpu_cos_f32(-0x1p50f) == static_cast<float>(std::cos(0x1p50)));
  CHECK(std::isnan(pycuda_cpu_sin_f32(inf)));
  CHECK(std::isnan(pycuda_cpu_cos_f32(-inf)));
  CHECK(std::signbit(pycuda_cpu_sin_f32(-0.0f)));
}

TEST_CASE("no two arithmetic symbols share a name, and none is null") {
  std::set<std::string> names;
  for (const pycuda::cpu::RuntimeSymbol& symbol : pycuda::cpu::exec::math_symbols()) {
    CHECK(names.insert(symbol.name).second);
    CHECK(symbol.address != nullptr);
  }
}
