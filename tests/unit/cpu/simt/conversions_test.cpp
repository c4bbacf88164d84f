// SPDX-License-Identifier: MIT
// f64 and f32 to integers in gangs and thread by thread, at the ends of what fits and beyond them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::vectors;

namespace {

std::string kernel_of(const std::string& instruction) {
  const bool singles = instruction.ends_with("f32");
  return R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {
  .reg .b64 %rd<4>; .reg .b32 %r<6>; .reg .f32 %f; .reg .f64 %fd; .reg .pred %p;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r4, [n];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x; mad.lo.s32 %r1, %r3, %r2, %r1;
  setp.ge.u32 %p, %r1, %r4; @%p ret;
  mul.wide.u32 %rd3, %r1, 8; add.u64 %rd1, %rd1, %rd3;
  mul.wide.u32 %rd3, %r1, 4; add.u64 %rd2, %rd2, %rd3;
  ld.global.f64 %fd, [%rd1]; cvt.rn.f32.f64 %f, %fd;
  )" + instruction +
         (singles ? " %r5, %f;" : " %r5, %fd;") + "\n  st.global.u32 [%rd2], %r5; ret;\n}\n";
}

std::vector<double> samples() {
  std::vector<double> all;
  for (const double edge : {0.0, 0.5, 1.0, 1.5, 2.5, 1e9, 0x1p31, 0x1p31 - 0.5, 0x1p31 - 1, 0x1p32,
                            0x1p32 - 0.5, 0x1p52, 1e300, 0x1p-1074}) {
    for (const double sign : {1.0, -1.0}) {
      all.push_back(sign * edge);
      all.push_back(std::nextafter(sign * edge, 1e308));
      all.push_back(std::nextafter(sign * edge, -1e308));
      all.push_back(sign * edge - 1);
    }
  }
  constexpr std::uint64_t special[] = {0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
                                       0xfff8000000000000, 0x7ff0000000000001, 0xffffffffffffffff};
  for (const std::uint64_t bits : special) all.push_back(std::bit_cast<double>(bits));
  while (all.size() % 64 != 0) all.push_back(static_cast<double>(all.size()) - 64.5);
  return all;
}

/// PTX: NaN and what is too small give the least number for s32.
std::int32_t wanted(double value, double (*rounded)(double)) {
  if (!(value > -0x1p31)) return std::numeric_limits<std::int32_t>::min();
  const double whole = rounded(value);
  if (whole >= 0x1p31) return std::numeric_limits<std::int32_t>::max();
  return whole <= -0x1p31 ? std::numeric_limits<std::int32_t>::min()
                          : static_cast<std::int32_t>(whole);
}

void check(const std::string& instruction, double (*rounded)(double)) {
  CAPTURE(instruction);
  const std::vector<double> in = samples();
  const auto n = static_cast<std::uint32_t>(in.size());
  for (const bool gangs : {false, true}) {
    LoadedModule module(kernel_of(instruction), vectors(gangs));
    CHECK((module.kernel("k").facts.gang_lanes != 0) == gangs);
    std::vector<std::int32_t> out(n);
    module.run("k", {n / 64}, {64}, in.data(), out.data(), n);
    const bool singles = instruction.ends_with("f32");
    for (std::size_t i = 0; i < n; ++i) {
      CAPTURE(in[i]);
      const double value = singles ? static_cast<double>(static_cast<float>(in[i])) : in[i];
      CHECK(out[i] == (singles && std::isnan(value) ? 0 : wanted(value, rounded)));
    }
  }
}

}  // namespace

TEST_CASE("f64 to s32 in every rounding, with what does not fit and NaNs") {
  check("cvt.rni.s32.f64", [](double x) { return std::nearbyint(x); });
  check("cvt.rzi.s32.f64", [](double x) { return std::trunc(x); });
  check("cvt.rmi.s32.f64", [](double x) { return std::floor(x); });
  check("cvt.rpi.s32.f64", [](double x) { return std::ceil(x); });
}

TEST_CASE("f32 to s32 in every rounding, with what does not fit and NaNs, which become 0") {
  check("cvt.rni.s32.f32", [](double x) { return std::nearbyint(x); });
  check("cvt.rzi.s32.f32", [](double x) { return std::trunc(x); });
  check("cvt.rmi.s32.f32", [](double x) { return std::floor(x); });
  check("cvt.rpi.s32.f32", [](double x) { return std::ceil(x); });
  check("cvt.rni.ftz.s32.f32", [](double x) { return std::nearbyint(x); });
}

TEST_CASE("saturating integers of 64 bits have a vector form") {
  const auto kernel = [](const std::string& conversion, const std::string& result) {
    return R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b64 %rd<4>, %x, %y; .reg .b32 %r, %w; .reg .b16 %h;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r, %tid.x;
  mul.wide.u32 %rd3, %r, 8; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
  ld.global.u64 %x, [%rd1]; )" +
           conversion + " " + result + ", %x; cvt.s64." + conversion.substr(8, 3) + " %y, " +
           result + "; st.global.u64 [%rd2], %y; ret;\n}\n";
  };
  std::vector<std::int64_t> in;
  for (const std::int64_t edge : {std::int64_t{0}, std::int64_t{1} << 31, std::int64_t{1} << 32,
                                  std::numeric_limits<std::int64_t>::max()}) {
    for (const std::int64_t number : {edge - 1, edge, -edge, ~edge}) in.push_back(number);
  }
  while (in.size() < 64) in.push_back(static_cast<std::int64_t>(in.size()) * 77 - 2500);
  const auto check_all = [&](const std::string& conversion, const std::string& result,
                             std::int64_t (*wanted)(std::int64_t)) {
    CAPTURE(conversion);
    for (const bool gangs : {false, true}) {
      LoadedModule module(kernel(conversion, result), vectors(gangs));
      CHECK((module.kernel("k").facts.gang_lanes != 0) == gangs);
      std::vector<std::int64_t> out(in.size());
      module.run("k", {1}, {64}, in.data(), out.data());
      for (std::size_t i = 0; i < in.size(); ++i) CHECK(out[i] == wanted(in[i]));
    }
  };
  check_all("cvt.sat.u32.s64", "%w",
            [](std::int64_t x) { return std::clamp<std::int64_t>(x, 0, 0xffffffff); });
  check_all("cvt.sat.s32.u64", "%w", [](std::int64_t x) {
    return x < 0 ? std::int64_t{0x7fffffff} : std::min<std::int64_t>(x, 0x7fffffff);
  });
  check_all("cvt.sat.s32.s64", "%w", [](std::int64_t x) {
    return std::clamp<std::int64_t>(x, std::numeric_limits<std::int32_t>::min(), 0x7fffffff);
  });
}
