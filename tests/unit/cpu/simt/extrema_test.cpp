// SPDX-License-Identifier: MIT
// min and max of f32 and f64 in gangs and thread by thread: every pair of zeros, subnormal numbers,
// infinities and NaNs of either kind.
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::vectors;

namespace {

template <class Bits>
struct Format;
template <>
struct Format<std::uint32_t> {
  using Real = float;
  static constexpr std::uint32_t infinity = 0x7f800000, quiet = 0x00400000;
  static std::uint32_t result_of(std::uint32_t) { return 0x7fffffff; }
};
template <>
struct Format<std::uint64_t> {
  using Real = double;
  static constexpr std::uint64_t infinity = 0x7ff0000000000000, quiet = 0x0008000000000000;
  static std::uint64_t result_of(std::uint64_t nan) { return nan | quiet; }
};

template <class Bits>
constexpr Bits sign_bit = Bits{1} << (sizeof(Bits) * 8 - 1);

template <class Bits>
bool is_nan(Bits bits) {
  return (bits & ~sign_bit<Bits>) > Format<Bits>::infinity;
}

template <class Bits>
Bits arithmetic(Bits bits) {
  return is_nan(bits) ? Format<Bits>::result_of(bits) : bits;
}

template <class Bits>
Bits extremum(Bits a, Bits b, bool minimum) {
  if (is_nan(a) || is_nan(b)) return is_nan(b) ? is_nan(a) ? Format<Bits>::result_of(b) : a : b;
  const auto left = std::bit_cast<typename Format<Bits>::Real>(a);
  const auto right = std::bit_cast<typename Format<Bits>::Real>(b);
  if (left == right) return minimum ? a | b : a & b;
  return (minimum ? left < right : left > right) ? a : b;
}
template <class Bits>
Bits larger(Bits a, Bits b) {
  return extremum(a, b, false);
}
template <class Bits>
Bits smaller(Bits a, Bits b) {
  return extremum(a, b, true);
}

std::uint32_t flushed(std::uint32_t bits) {
  return (bits & 0x7f800000) == 0 ? bits & sign_bit<std::uint32_t> : bits;
}

template <class Bits>
std::vector<Bits> special_numbers() {
  constexpr Bits infinity = Format<Bits>::infinity, quiet = Format<Bits>::quiet;
  const Bits one = std::bit_cast<Bits>(typename Format<Bits>::Real{1});
  std::vector<Bits> all;
  for (const Bits bits :
       {Bits{0}, Bits{1}, quiet - 1, quiet * 2, one, one + 1, infinity - 1, infinity, infinity + 1,
        infinity + quiet - 1, infinity + quiet, static_cast<Bits>(~sign_bit<Bits>)}) {
    all.push_back(bits);
    all.push_back(bits | sign_bit<Bits>);
  }
  return all;
}

/// %r from %a and %b, with %c to spare.
template <class Bits>
std::string kernel_of(const std::string& body) {
  const std::string width = std::to_string(sizeof(Bits) * 8);
  return R"(
.visible .entry k(.param .u64 left, .param .u64 right, .param .u64 out) {
  .reg .b64 %rd<5>; .reg .b32 %i<4>; .reg .f)" +
         width + R"( %a, %b, %c, %r;
  ld.param.u64 %rd1, [left]; ld.param.u64 %rd2, [right]; ld.param.u64 %rd3, [out];
  mov.u32 %i1, %tid.x; mov.u32 %i2, %ntid.x; mov.u32 %i3, %ctaid.x; mad.lo.s32 %i1, %i3, %i2, %i1;
  mul.wide.u32 %rd4, %i1, )" +
         std::to_string(sizeof(Bits)) + R"(;
  add.u64 %rd1, %rd1, %rd4; add.u64 %rd2, %rd2, %rd4; add.u64 %rd3, %rd3, %rd4;
  ld.global.f)" +
         width + " %a, [%rd1]; ld.global.f" + width + " %b, [%rd2];\n  " + body +
         "\n  st.global.f" + width + " [%rd3], %r; ret;\n}\n";
}

template <class Bits>
void check(const std::string& body, const std::function<Bits(Bits, Bits)>& wanted) {
  CAPTURE(body);
  const std::vector<Bits> numbers = special_numbers<Bits>();
  std::vector<Bits> left, right;
  for (const Bits a : numbers) {
    for (const Bits b : numbers) {
      left.push_back(a);
      right.push_back(b);
    }
  }
  REQUIRE(left.size() % 64 == 0);
  const auto blocks = static_cast<std::uint32_t>(left.size() / 64);
  for (const bool gangs : {false, true}) {
    LoadedModule module(kernel_of<Bits>(body), vectors(gangs));
    CHECK((module.kernel("k").facts.gang_lanes != 0) == gangs);
    std::vector<Bits> out(left.size());
    module.run("k", {blocks}, {64}, left.data(), right.data(), out.data());
    unsigned wrong = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (out[i] == wanted(left[i], right[i])) continue;
      ++wrong;
      CAPTURE(gangs);
      CAPTURE(left[i]);
      CAPTURE(right[i]);
      if (wrong < 4) CHECK(out[i] == wanted(left[i], right[i]));
    }
    CHECK(wrong == 0);
  }
}

using Single = std::uint32_t;
using Double = std::uint64_t;

Single bits_of(float number) { return std::bit_cast<Single>(number); }
float real_of(Single bits) { return std::bit_cast<float>(bits); }

}  // namespace

TEST_CASE("of two numbers the larger or smaller one, of a number and a NaN the number") {
  check<Single>("max.f32 %r, %a, %b;", larger<Single>);
  check<Single>("min.f32 %r, %a, %b;", smaller<Single>);
  check<Double>("max.f64 %r, %a, %b;", larger<Double>);
  check<Double>("min.f64 %r, %a, %b;", smaller<Double>);
}

TEST_CASE("extrema of numbers that are flushed") {
  const auto flushing = [](auto choose) {
    return [choose](Single a, Single b) { return choose(flushed(a), flushed(b)); };
  };
  check<Single>("max.ftz.f32 %r, %a, %b;", flushing(larger<Single>));
  check<Single>("min.ftz.f32 %r, %a, %b;", flushing(smaller<Single>));
  check<Single>("max.ftz.f32 %r, %a, 0f00000000;",
                [](Single a, Single) { return larger<Single>(flushed(a), 0); });
  check<Single>("min.ftz.f32 %c, %a, %b; max.ftz.f32 %r, %c, 0fBF800000;", [](Single a, Single b) {
    return larger(smaller(flushed(a), flushed(b)), bits_of(-1));
  });
  // With an instruction that does not flush the processor must not either.
  check<Single>("max.ftz.f32 %c, %a, %b; max.f32 %r, %c, %b;",
                [](Single a, Single b) { return larger(larger(flushed(a), flushed(b)), b); });
}

TEST_CASE("extrema with constants") {
  for (const auto& [text, bits] : {std::pair{"0f00000000", 0u},
                                   {"0f80000000", 0x80000000u},
                                   {"0f3F800000", 0x3f800000u},
                                   {"0fFF800000", 0xff800000u},
                                   {"0f7FC00000", 0x7fc00000u},
                                   {"0f00000001", 1u}}) {
    const Single constant = bits;
    check<Single>(std::string("max.f32 %r, %a, ") + text + ";",
                  [=](Single a, Single) { return larger(a, constant); });
    check<Single>(std::string("min.f32 %r, %a, ") + text + ";",
                  [=](Single a, Single) { return smaller(a, constant); });
  }
  check<Single>("max.f32 %c, %a, 0f00000000; min.f32 %r, %c, 0f3F800000;",
                [](Single a, Single) { return smaller(larger(a, Single{0}), bits_of(1)); });
  check<Double>("max.f64 %c, %a, 0d0000000000000000; min.f64 %r, %c, %b;",
                [](Double a, Double b) { return smaller(larger(a, Double{0}), b); });
}

TEST_CASE("extrema of extrema, and of what changes the sign") {
  check<Single>("max.f32 %c, %a, %b; min.f32 %r, %c, %a;",
                [](Single a, Single b) { return smaller(larger(a, b), a); });
  check<Double>("min.f64 %c, %a, %b; max.f64 %r, %b, %c;",
                [](Double a, Double b) { return larger(b, smaller(a, b)); });
  const auto negated = [](Single a) { return arithmetic(a ^ sign_bit<Single>); };
  check<Single>("neg.f32 %c, %a; max.f32 %r, %c, %b;",
                [&](Single a, Single b) { return larger(negated(a), b); });
  check<Single>("neg.f32 %c, %a; neg.f32 %r, %b; max.f32 %c, %c, %r; max.f32 %r, %a, %c;",
                [&](Single a, Single b) { return larger(a, larger(negated(a), negated(b))); });
  check<Single>("abs.f32 %c, %a; min.f32 %r, %c, %b;",
                [](Single a, Single b) { return smaller(arithmetic(a & ~sign_bit<Single>), b); });
}

TEST_CASE("arithmetic that does nothing but quiet a NaN counts as arithmetic") {
  const auto of = [](Single bits) { return arithmetic(bits); };
  check<Single>("mul.f32 %c, %a, 0f3F800000; max.f32 %r, %c, %b;",
                [&](Single a, Single b) { return larger(of(a), b); });
  check<Single>("add.f32 %c, %a, 0f80000000; min.f32 %r, %b, %c;",
                [&](Single a, Single b) { return smaller(b, of(a)); });
  check<Single>("fma.rn.f32 %c, %a, 0f3F800000, 0f80000000; min.f32 %r, %b, %c;",
                [&](Single a, Single b) { return smaller(b, of(a)); });
  check<Single>("mul.f32 %c, %a, %b; max.f32 %r, %c, %b;", [&](Single a, Single b) {
    const float product = real_of(a) * real_of(b);
    return larger(of(bits_of(product)), b);
  });
}

TEST_CASE("with .NaN a NaN wins") {
  check<Single>("max.NaN.f32 %r, %a, %b;", [](Single a, Single b) {
    return is_nan(a) || is_nan(b) ? 0x7fffffff : larger(a, b);
  });
  check<Single>("min.NaN.f32 %r, %a, %b;", [](Single a, Single b) {
    return is_nan(a) || is_nan(b) ? 0x7fffffff : smaller(a, b);
  });
}
