// SPDX-License-Identifier: MIT
// Quotients by a number that all threads have in common: the bits of the scalar path, which
// divides.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::vectors;

namespace {

/// Divides `n` numbers by `y`.
std::string kernel_of(const std::string& type, const std::string& flush) {
  return R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .)" +
         type + R"( y, .param .u32 n) {
  .reg .b64 %rd<4>; .reg .b32 %r<5>; .reg .)" +
         type + R"( %f<4>; .reg .pred %p;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r4, [n]; ld.param.)" +
         type + R"( %f3, [y];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x; mad.lo.s32 %r1, %r3, %r2, %r1;
  setp.ge.u32 %p, %r1, %r4; @%p ret;
  mul.wide.u32 %rd3, %r1, )" +
         (type == "f32" ? "4" : "8") + R"(; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
  ld.global.)" +
         type + " %f1, [%rd1]; div.rn" + flush + "." + type + " %f2, %f1, %f3; st.global." + type +
         " [%rd2], %f2; ret;\n}\n";
}

/// Numbers x of ordinary size for which x / y lies next to the middle between two floats: where the
/// mantissas' product is 1 to 4 more or less than a multiple of 2^24 or 2^25.
std::vector<float> next_to_middles(float y) {
  std::vector<float> found;
  const std::uint64_t divisor = (std::bit_cast<std::uint32_t>(y) & 0x7fffff) | 0x800000;
  const int zeros = std::countr_zero(divisor);
  std::uint64_t inverse = 1;  // of the odd part, modulo 2^64
  for (int i = 0; i < 6; ++i) inverse *= 2 - (divisor >> zeros) * inverse;
  for (const int bits : {24, 25}) {
    for (int k = -4; k <= 4; ++k) {
      if (k == 0 || (k & ((1 << zeros) - 1)) != 0) continue;
      const std::uint64_t places = std::uint64_t{1} << (bits - zeros);
      const std::uint64_t first =
          (inverse * static_cast<std::uint64_t>(-k >> zeros)) & (places - 1);
      for (std::uint64_t middle = first; middle < 1u << 25; middle += places) {
        const std::uint64_t x = (middle * divisor + static_cast<std::uint64_t>(k)) >> bits;
        if (middle < 1u << 24 || middle % 2 == 0 || x < 1u << 23 || x >= 1u << 24) continue;
        found.push_back(static_cast<float>(x));
      }
    }
  }
  return found;
}

template <class Number>
std::vector<Number> edges() {
  using Limits = std::numeric_limits<Number>;
  std::vector<Number> all;
  for (const Number edge : {Number(0), Limits::denorm_min(), Limits::min(), Limits::max(),
                            Limits::infinity(), Limits::quiet_NaN(), Number(1)}) {
    for (const Number sign : {Number(1), Number(-1)}) all.push_back(edge * sign);
  }
  for (int exponent = Limits::min_exponent - 20; exponent < Limits::max_exponent; ++exponent)
    all.push_back(std::ldexp(Number(1.1), exponent));
  return all;
}

template <class Number>
unsigned differences(LoadedModule& scalar, LoadedModule& vector, const std::vector<Number>& in,
                     Number y) {
  std::vector<Number> one(in.size()), other(in.size());
  const auto n = static_cast<std::uint32_t>(in.size());
  scalar.run("k", {(n + 255) / 256}, {256}, in.data(), one.data(), y, n);
  vector.run("k", {(n + 255) / 256}, {256}, in.data(), other.data(), y, n);
  unsigned different = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (std::memcmp(&one[i], &other[i], sizeof(Number)) == 0) continue;
    if (++different <= 3)
      FAIL_CHECK(in[i] << " by " << y << " is " << one[i] << " and " << other[i]);
  }
  return different;
}

/// In vectors of numbers of ordinary size, and in vectors with others among them.
template <class Number>
void check(const std::string& type, const std::string& flush) {
  CAPTURE(type);
  CAPTURE(flush);
  LoadedModule scalar(kernel_of(type, flush), vectors(false));
  LoadedModule vector(kernel_of(type, flush), vectors(true));
  std::mt19937_64 random(7);
  std::uniform_real_distribution<Number> mantissas(1, 2);
  std::uniform_int_distribution<int> exponents(-18, 38);
  const auto any = [&] { return std::ldexp(mantissas(random), exponents(random)); };

  std::vector<Number> divisors = edges<Number>();
  for (int i = 0; i < 300; ++i) divisors.push_back(any());
  for (const int exponent : {-100, -21, -20, 0, 40, 41, 100}) {
    divisors.push_back(std::ldexp(Number(1), exponent));
    divisors.push_back(std::nextafter(divisors.back(), Number(0)));
  }
  unsigned different = 0;
  for (const Number y : divisors) {
    std::vector<Number> in;
    for (int i = 0; i < 512; ++i) in.push_back(i % 7 == 0 ? Number(0) * any() : any() - any());
    if constexpr (sizeof(Number) == sizeof(float)) {
      for (const float x : next_to_middles(y)) in.push_back(x);
    }
    while (in.size() % 64 != 0) in.push_back(1);
    // Vectors of numbers of one size, from the least to the largest.
    constexpr int steps = 32;
    for (int step = 0; step < steps; ++step) {
      constexpr int least = std::numeric_limits<Number>::min_exponent - 20;
      constexpr int most = std::numeric_limits<Number>::max_exponent - 1;
      for (int i = 0; i < 64; ++i)
        in.push_back(std::ldexp(mantissas(random), least + (most - least) * step / (steps - 1)));
    }
    for (const Number edge : edges<Number>()) {
      in.push_back(edge);
      in.push_back(-any());
    }
    different += differences(scalar, vector, in, y);
  }
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("quotients by what all threads divide by have the bits of the scalar path") {
  check<float>("f32", "");
  check<float>("f32", ".ftz");
  check<double>("f64", "");
}
