// SPDX-License-Identifier: MIT
// Arithmetic forms that do not exist or are not supported are refused by name; tests/ptx tests what
// the others compute.
#include <string>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::testing::diagnostics_of;

namespace {

std::string refusal_of(const std::string& instruction) {
  return diagnostics_of(
      ".visible .entry k() {\n"
      "  .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .f32 %f<4>;\n"
      "  .reg .f64 %g<4>;\n  " +
      instruction + "\n  ret;\n}\n");
}

}  // namespace

TEST_CASE("forms that PTX has compile") {
  CHECK(refusal_of("add.s32 %r0, %r1, %r2;").empty());
  CHECK(refusal_of("fma.rn.f32 %f0, %f1, 0f3F800000, %f2;").empty());
  CHECK(refusal_of("rsqrt.approx.f32.ftz %f0, %f1;").empty());
  CHECK(refusal_of("cvt.rn.f16x2.f32 %r0, %f1, %f2;").empty());
  CHECK(refusal_of("fma.rn.f32x2 %d0, %d1, %d2, %d3;").empty());
  CHECK(refusal_of("max.f32 %f0, %f1, %f2, %f3;").empty());
  CHECK(refusal_of("vadd4.u32.u32.u32.sat %r0.b210, %r1.b7610, %r2.b3333, %r3;").empty());
}

TEST_CASE("a refused instruction is named with its modifiers and its line") {
  for (const char* instruction : {"add.sat.u32", "mad.lo.sat.s32"}) {
    const bool mad = std::string(instruction).starts_with("mad");
    const std::string text =
        refusal_of(std::string(instruction) + (mad ? " %r0, %r1, %r2, %r3;" : " %r0, %r1, %r2;"));
    CHECK_MESSAGE(text.find("'" + std::string(instruction) + "'") != std::string::npos, text);
    CHECK_MESSAGE(text.find(":7:") != std::string::npos, text);
  }
}

TEST_CASE("conversions that need a rounding are refused without one") {
  CHECK(!refusal_of("cvt.f32.s32 %f0, %r1;").empty());
  CHECK(!refusal_of("cvt.s32.f32 %r0, %f1;").empty());
  CHECK(!refusal_of("cvt.f32.f64 %f0, %g1;").empty());
}

TEST_CASE("stochastic rounding is refused") {
  CHECK(refusal_of("cvt.rs.f16x2.f32 %r0, %f1, %f2, %r3;").find("cvt.rs.f16x2.f32") !=
        std::string::npos);
}

TEST_CASE("a predicate is no number and a number is no predicate") {
  CHECK(!refusal_of("add.s32 %r0, %p1, %r2;").empty());
  CHECK(!refusal_of("selp.b32 %r0, %r1, %r2, %r3;").empty());
  CHECK(!refusal_of("setp.eq.s32 %r0, %r1, %r2;").empty());
}

TEST_CASE("ordered comparisons of untyped bits are refused") {
  CHECK(!refusal_of("setp.lt.b32 %p0, %r1, %r2;").empty());
}

TEST_CASE("parts that a register does not have cannot be picked") {
  CHECK(!refusal_of("vadd.u32.u32.u32 %r0, %r1.b7, %r2;").empty());
  CHECK(!refusal_of("vadd.u32.u32.u32 %r0, %r1.h3, %r2;").empty());
  CHECK(!refusal_of("vadd2.u32.u32.u32 %r0, %r1.h70, %r2, %r3;").empty());
  CHECK(!refusal_of("vadd2.u32.u32.u32 %r0, %r1.b10, %r2, %r3;").empty());
}
