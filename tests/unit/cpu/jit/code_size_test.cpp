// SPDX-License-Identifier: MIT
// How often long code is compiled: compile time goes with the length of what there is to compile.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>

#include "cpu/jit/compile.h"
#include "cpu/ptx/parser.h"

namespace {

namespace jit = pycuda::cpu::jit;
namespace ptx = pycuda::cpu::ptx;

const std::string header = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .b64 %out, %a; .reg .b32 %n, %i, %s, %x, %r<4>; .reg .pred %p;
  ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x;
  mad.lo.s32 %i, %r1, %r2, %r0; mul.lo.s32 %s, %r1, %r3;
  mul.wide.s32 %a, %i, 4; add.u64 %a, %a, %out; mov.u32 %x, %i;
)";

std::string much(std::size_t steps) {
  std::string text;
  for (std::size_t i = 0; i < steps; ++i)
    text += "mul.lo.u32 %x, %x, 1664525; xor.b32 %x, %x, " + std::to_string(i * 977 + 5) + ";\n";
  return text;
}

std::size_t code_bytes(const std::string& text) {
  const auto parsed = ptx::parse(text);
  REQUIRE(parsed);
  jit::Options options;
  options.vectors = true;
  options.gang_lanes = 16;
  options.tier = jit::Tier::Optimised;
  const auto compiled = jit::compile_module(*parsed, options);
  REQUIRE(compiled);
  CHECK(compiled->kernels.at(0).gang_lanes == 16);
  return compiled->object.size();
}

/// Of what is between `before` and `after`, by how much longer the code becomes with it.
double bytes_per_step(const std::string& before, const std::string& after) {
  constexpr std::size_t few = 200, many = 400;
  const std::size_t one = code_bytes(header + before + much(few) + after);
  const std::size_t other = code_bytes(header + before + much(many) + after);
  return static_cast<double>(other - one) / static_cast<double>(many - few);
}

const std::string store = "st.global.u32 [%a], %x; ";

/// Code without any loop is compiled for whole gangs, for the rest of a row, and for threads.
double in_no_loop() { return bytes_per_step("", store + "ret; }"); }

double in_loop(const std::string& guard, const std::string& step) {
  return bytes_per_step(guard + "loop:\n", store + "add.s32 %i, %i, " + step +
                                               "; setp.lt.s32 %p, %i, %n; @%p bra loop;\ndone:\n" +
                                               store + "ret; }");
}

const std::string guard = "setp.ge.s32 %p, %i, %n; @%p bra done;\n";

}  // namespace

TEST_CASE("gangs that the guard before a loop divides share a copy with those that the loop does") {
  CHECK(in_loop(guard, "3") < 1.18 * in_loop("", "3"));
}

TEST_CASE("gangs that take turns in a long loop run the same code as those that do not agree") {
  CHECK(in_loop(guard, "%s") < 3.2 * in_no_loop());
}
