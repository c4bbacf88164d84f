// SPDX-License-Identifier: MIT
// The errors of approximate functions against f64, over samples of all floats; the same bits from
// the scalar path and from gangs.
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::testing::gangs_of;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::vectors;

namespace {

std::string kernel_of(const std::string& instruction) {
  return R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {
  .reg .b64 %rd<4>; .reg .b32 %r<5>; .reg .f32 %f<3>; .reg .pred %p;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r4, [n];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x; mad.lo.s32 %r1, %r3, %r2, %r1;
  setp.ge.u32 %p, %r1, %r4; @%p ret;
  mul.wide.u32 %rd3, %r1, 4; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
  ld.global.f32 %f1, [%rd1];
  )" + instruction +
         " %f2, %f1;\n  st.global.f32 [%rd2], %f2; ret;\n}\n";
}

/// Every 4099th float, all small multiples of one eighth, and what lies at the ends of ranges.
std::vector<float> samples() {
  std::vector<float> all;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 4099)
    all.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  for (int i = -1200; i <= 1200; ++i) all.push_back(static_cast<float>(i) / 8);
  for (const float edge :
       {0.0f, 0x1p-149f, 0x1p-127f, 0x1p-126f, 0.6f, 1.0f, 9.5f, 126.0f, 127.5f, 128.0f, 150.0f,
        0x1p17f, 0x1p24f, 0x1p127f, std::numeric_limits<float>::infinity()}) {
    for (const float sign : {1.0f, -1.0f}) {
      all.push_back(sign * edge);
      all.push_back(std::nextafter(sign * edge, 1000.0f));
      all.push_back(std::nextafter(sign * edge, -1000.0f));
    }
  }
  all.push_back(std::bit_cast<float>(0x7f800001u));
  all.push_back(std::bit_cast<float>(0xffc12345u));
  return all;
}

std::vector<float> run(LoadedModule& module, const std::vector<float>& in) {
  std::vector<float> out(in.size());
  const auto n = static_cast<std::uint32_t>(in.size());
  module.run("k", {(n + 255) / 256}, {256}, in.data(), out.data(), n);
  return out;
}

/// What the result may be away from the exact value.
struct Bound {
  double ulp = 0, relative = 0, absolute = 0;
};

bool is_within(float result, double exact, const Bound& bound) {
  if (std::isnan(exact)) return std::bit_cast<std::uint32_t>(result) == 0x7fffffff;
  if (std::isinf(exact) || std::isinf(result)) return result == static_cast<float>(exact);
  int exponent = 0;
  std::frexp(exact, &exponent);
  const double place = std::ldexp(1, std::max(exponent, -125) - 24);
  return std::abs(result - exact) <=
         bound.ulp * place + bound.relative * std::abs(exact) + bound.absolute;
}

float flushed(float value) {
  return std::abs(value) < 0x1p-126f ? std::copysign(0.0f, value) : value;
}

using Function = std::function<double(double)>;

void check(const std::string& instruction, const Function& exact, const Bound& bound) {
  CAPTURE(instruction);
  const bool ftz = instruction.find(".ftz") != std::string::npos;
  LoadedModule scalar(kernel_of(instruction), vectors(false));
  LoadedModule vector(kernel_of(instruction), vectors(true));
  CHECK(vector.kernel("k").facts.gang_lanes != 0);
  const std::vector<float> in = samples();
  const std::vector<float> one = run(scalar, in), other = run(vector, in);
  int wrong = 0, different = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const float operand = ftz ? flushed(in[i]) : in[i];
    double wanted = exact(operand);
    // A result near the smallest normal number may be taken for either side of it.
    const bool zero = ftz && one[i] == 0 && std::abs(wanted) <= 0x1.000002p-126;
    const bool right = zero || is_within(one[i], wanted, bound);
    const bool same =
        std::bit_cast<std::uint32_t>(one[i]) == std::bit_cast<std::uint32_t>(other[i]);
    if (!right && ++wrong <= 5) FAIL_CHECK(in[i] << " gives " << one[i] << ", not " << wanted);
    if (!same && ++different <= 5) FAIL_CHECK(in[i] << ": " << one[i] << " and " << other[i]);
  }
  CHECK(wrong == 0);
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("approximate functions keep within their bounds, with the same bits in gangs") {
  const Function exp2 = [](double x) { return std::exp2(x); };
  const Function log2 = [](double x) { return x == 0 ? -INFINITY : std::log2(x); };
  const Function rsqrt = [](double x) { return 1 / std::sqrt(x); };
  for (const std::string ftz : {"", ".ftz"}) {
    check("ex2.approx" + ftz + ".f32", exp2, {.ulp = 1});
    check("lg2.approx" + ftz + ".f32", log2, {.ulp = 1});
    check("rsqrt.approx" + ftz + ".f32", rsqrt, {.relative = 0x1p-23});
    check("sin.approx" + ftz + ".f32", [](double x) { return std::sin(x); }, {.absolute = 0x1p-22});
    check("cos.approx" + ftz + ".f32", [](double x) { return std::cos(x); }, {.absolute = 0x1p-22});
    check("rcp.approx" + ftz + ".f32", [](double x) { return 1 / x; }, {.ulp = 0.5});
    check("sqrt.approx" + ftz + ".f32", [](double x) { return std::sqrt(x); }, {.ulp = 0.5});
  }
  check("tanh.approx.f32", [](double x) { return std::tanh(x); }, {.relative = 0x1p-22});
}

TEST_CASE("signs of zeros, and subnormal numbers where there is no .ftz") {
  const auto one = [](const std::string& instruction, float x) {
    LoadedModule module(kernel_of(instruction));
    return run(module, {x}).front();
  };
  for (const std::string function : {"sin.approx.f32", "sin.approx.ftz.f32", "tanh.approx.f32"}) {
    CHECK(std::signbit(one(function, -0.0f)));
    CHECK_FALSE(std::signbit(one(function, 0.0f)));
  }
  CHECK(one("sin.approx.f32", 0x1p-140f) == 0x1p-140f);
  CHECK(one("sin.approx.ftz.f32", -0x1p-140f) == 0);
  CHECK(one("lg2.approx.f32", 0x1p-140f) == -140);
  CHECK(one("lg2.approx.ftz.f32", 0x1p-140f) == -INFINITY);
  CHECK(one("ex2.approx.f32", -140) == 0x1p-140f);
  CHECK(one("ex2.approx.ftz.f32", -140) == 0);
  CHECK(one("rsqrt.approx.f32", -0.0f) == -INFINITY);
  CHECK(one("rsqrt.approx.ftz.f32", 0x1p-140f) == INFINITY);
}

TEST_CASE("integers are powers and logarithms without error") {
  LoadedModule power(kernel_of("ex2.approx.f32")), logarithm(kernel_of("lg2.approx.f32"));
  std::vector<float> exponents, powers;
  for (int i = -149; i < 128; ++i) {
    exponents.push_back(static_cast<float>(i));
    powers.push_back(std::ldexp(1.0f, i));
  }
  CHECK(run(power, exponents) == powers);
  CHECK(run(logarithm, powers) == exponents);
}

TEST_CASE("f64 seeds use and give the upper word alone") {
  const auto seed = [](const std::string& instruction, double x) {
    LoadedModule module(R"(
.visible .entry k(.param .u64 out, .param .f64 x) {
  .reg .b64 %rd1; .reg .f64 %d<3>;
  ld.param.u64 %rd1, [out]; ld.param.f64 %d1, [x];
  )" + instruction + R"( %d2, %d1; st.global.f64 [%rd1], %d2; ret;
})");
    double result = 0;
    module.run("k", {1}, {1}, &result, x);
    return result;
  };
  CHECK(seed("rcp.approx.ftz.f64", -0x1p-1074) == -INFINITY);
  CHECK(seed("rcp.approx.ftz.f64", 4) == 0.25);
  CHECK(std::bit_cast<std::uint64_t>(seed("rcp.approx.ftz.f64", NAN)) == 0x7fffffff00000000);
  const double third = seed("rcp.approx.ftz.f64", 3);
  CHECK((std::bit_cast<std::uint64_t>(third) & 0xffffffff) == 0);
  CHECK(std::abs(third * 3 - 1) < 0x1p-20);
  CHECK(seed("rsqrt.approx.ftz.f64", 0.25) == 2);
  CHECK(seed("rsqrt.approx.f64", 2) == 1 / std::sqrt(2.0));
}

TEST_CASE("square roots in gangs that also divide are right to the last bit") {
  // Where the divider is short, such roots are multiplied (number_passes.h). All mantissas with
  // an even and an odd exponent, and samples of everything else.
  std::string text = kernel_of("sqrt.rn.f32");
  const std::string store = "st.global.f32 [%rd2], %f2;";
  text.replace(text.find(store), store.size(),
               store + " div.rn.f32 %f1, %f1, %f2; st.global.f32 [%rd1], %f1;");
  std::vector<float> in = samples();
  for (std::uint32_t bits = 0x3f800000; bits < 0x40800000; ++bits)
    in.push_back(std::bit_cast<float>(bits));
  std::vector<float> divided = in;
  LoadedModule module(text, vectors(true));
  CHECK(module.kernel("k").facts.gang_lanes != 0);
  const std::vector<float> roots = run(module, divided);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const float root = std::sqrt(in[i]), quotient = in[i] / root;
    wrong += std::isnan(root) ? !std::isnan(roots[i]) : root != roots[i];
    wrong += std::isnan(quotient) ? !std::isnan(divided[i]) : quotient != divided[i];
  }
  CHECK(wrong == 0);
}

TEST_CASE("square roots and their reciprocals are right to the last bit") {
  // Where the divider is short both are multiplied, of gangs of several registers in part, of those
  // of one as a whole: all mantissas with an even and an odd exponent, and samples of everything.
  std::string text = kernel_of("sqrt.rn.f32");
  const std::string store = "st.global.f32 [%rd2], %f2;";
  text.replace(text.find(store), store.size(),
               store + " rcp.rn.f32 %f1, %f2; st.global.f32 [%rd1], %f1;");
  std::vector<float> in;
  for (std::uint32_t bits = 0x3f800000; bits < 0x40800000; ++bits)
    in.push_back(std::bit_cast<float>(bits));
  // Last: the end of an array that is no multiple of a gang may go another way.
  const std::vector<float> others = samples();
  in.insert(in.end(), others.begin(), others.end());
  for (const unsigned lanes : {16u, 64u}) {
    CAPTURE(lanes);
    std::vector<float> reciprocals = in;
    LoadedModule module(text, gangs_of(lanes));
    CHECK(module.kernel("k").facts.gang_lanes == lanes);
    const std::vector<float> roots = run(module, reciprocals);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const float root = std::sqrt(in[i]), reciprocal = 1 / root;
      wrong += std::isnan(root) ? !std::isnan(roots[i]) : root != roots[i];
      wrong += std::isnan(root) ? !std::isnan(reciprocals[i]) : reciprocal != reciprocals[i];
    }
    CHECK(wrong == 0);
  }
}
