// SPDX-License-Identifier: MIT
// atom and red: every operation, across blocks, and the values that they return.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::testing::LoadedModule;

namespace {

/// Applies `atom<operation> d, [p], b` once and gives the old value.
template <class T>
T apply(const std::string& operation, const std::string& bits, T& memory, T operand) {
  LoadedModule module(".visible .entry k(.param .u64 p, .param ." + bits +
                      " b, .param .u64 old) { .reg .b64 %rd<3>; .reg ." + bits +
                      " %b<3>; ld.param.u64 %rd1, [p]; ld.param." + bits +
                      " %b1, [b]; ld.param.u64 %rd2, [old]; atom.global." + operation +
                      " %b2, [%rd1], %b1; st.global." + bits + " [%rd2], %b2; ret; }");
  T old{};
  module.run("k", {1}, {1}, &memory, operand, &old);
  return old;
}

std::uint32_t after32(const std::string& operation, std::uint32_t memory, std::uint32_t operand) {
  const std::uint32_t before = memory;
  CHECK(apply<std::uint32_t>(operation, "b32", memory, operand) == before);
  return memory;
}

std::uint64_t after64(const std::string& operation, std::uint64_t memory, std::uint64_t operand) {
  const std::uint64_t before = memory;
  CHECK(apply<std::uint64_t>(operation, "b64", memory, operand) == before);
  return memory;
}

std::uint16_t after16(const std::string& operation, std::uint16_t memory, std::uint16_t operand) {
  const std::uint16_t before = memory;
  CHECK(apply<std::uint16_t>(operation, "b16", memory, operand) == before);
  return memory;
}

}  // namespace

TEST_CASE("integer atomics compute what they say, for both signs and widths") {
  CHECK(after32("add.u32", 5, 7) == 12);
  CHECK(after32("and.b32", 0xff0, 0x0ff) == 0x0f0);
  CHECK(after32("or.b32", 0xf00, 0x00f) == 0xf0f);
  CHECK(after32("xor.b32", 0xff0, 0x0ff) == 0xf0f);
  CHECK(after32("exch.b32", 1, 2) == 2);
  CHECK(after32("min.s32", 5, 0xffffffff) == 0xffffffff);
  CHECK(after32("min.u32", 5, 0xffffffff) == 5);
  CHECK(after32("max.s32", 5, 0xffffffff) == 5);
  CHECK(after32("max.u32", 5, 0xffffffff) == 0xffffffff);
  CHECK(after64("add.u64", 1ull << 40, 3) == (1ull << 40) + 3);
  CHECK(after64("max.s64", 5, ~0ull) == 5);
  CHECK(after64("min.u64", 5, ~0ull) == 5);
  CHECK(after64("exch.b64", 5, 6) == 6);
}

TEST_CASE("inc wraps above its limit and dec below zero") {
  CHECK(after32("inc.u32", 4, 5) == 5);
  CHECK(after32("inc.u32", 5, 5) == 0);
  CHECK(after32("inc.u32", 9, 5) == 0);
  CHECK(after32("dec.u32", 4, 5) == 3);
  CHECK(after32("dec.u32", 0, 5) == 5);
  CHECK(after32("dec.u32", 9, 5) == 5);
}

TEST_CASE("float atomics add with one rounding") {
  float f = 1.0f;
  CHECK(apply<float>("add.f32", "f32", f, 0x1p-24f) == 1.0f);
  CHECK(f == 1.0f);
  double d = 0.1;
  CHECK(apply<double>("add.f64", "f64", d, 0.2) == 0.1);
  CHECK(d == 0.1 + 0.2);
}

TEST_CASE("f32 atomics flush subnormals in global but not in shared memory, as GPUs do") {
  CHECK(after32("add.f32", 1, 1) == 0);
  CHECK(after32("add.f32", 0x807fffff, 0x807fffff) == 0x80000000);
  CHECK(after32("add.f32", 0x00800000, 0x807fffff) == 0x00800000);
  LoadedModule module(R"(
.visible .entry k(.param .u64 p) {
  .shared .align 4 .u32 s;
  .reg .b64 %rd<3>; .reg .b32 %r<4>; .reg .f32 %f;
  ld.param.u64 %rd1, [p];
  st.shared.u32 [s], 1; mov.b32 %f, 0x00000001;
  atom.shared.add.f32 %f, [s], %f; ld.shared.u32 %r1, [s];
  cvta.shared.u64 %rd2, s; atom.add.f32 %f, [%rd2], %f; ld.shared.u32 %r2, [s];
  st.global.v2.u32 [%rd1], {%r1, %r2};
  ret;
})");
  std::vector<std::uint32_t> out(2);
  module.run("k", {1}, {1}, out.data());
  CHECK(out == std::vector<std::uint32_t>{2, 3});
}

TEST_CASE("NaNs of float atomics are those of GPUs: canonical for f32, kept for f64") {
  CHECK(after32("add.f32", 0x7fc00001, 1) == 0x7fffffff);
  CHECK(after32("add.f32", 0x7f800000, 0xff800000) == 0x7fffffff);
  CHECK(after64("add.f64", 0x7ff4000000000000, 1) == 0x7ff4000000000000);
  CHECK(after64("add.f64", 0x7ff8000000000001, 0xfff8123400000000) == 0xfff8123400000000);
}

TEST_CASE("half and bfloat atomics round to nearest even and give the canonical NaN") {
  CHECK(after16("add.noftz.f16", 0x3c00, 0x3c00) == 0x4000);
  CHECK(after16("add.noftz.f16", 0x6800, 0x3c00) == 0x6800);  // 2048 + 1 is halfway
  CHECK(after16("add.noftz.f16", 0x7c00, 0xfc00) == 0x7fff);  // inf - inf
  CHECK(after16("add.noftz.bf16", 0x3f80, 0x3f80) == 0x4000);
  CHECK(after16("add.noftz.bf16", 0x4380, 0x3f80) == 0x4380);  // 256 + 1 is halfway
  CHECK(after16("add.noftz.bf16", 0x7f80, 0xff80) == 0x7fff);
  CHECK(after32("add.noftz.f16x2", 0x3c004000, 0x40003c00) == 0x42004200);
  CHECK(after32("add.noftz.bf16x2", 0x3f804000, 0x40003f80) == 0x40404040);
}

TEST_CASE("compare and swap of 16 to 128 bits swaps only what it expects") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 p, .param .u64 out) {
  .reg .b64 %rd<8>; .reg .b32 %r<4>; .reg .b16 %h<4>; .reg .b128 %q<4>;
  ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [out];
  mov.b16 %h1, 1; mov.b16 %h2, 9;
  atom.global.cas.b16 %h3, [%rd1], %h1, %h2; st.global.b16 [%rd2], %h3;
  atom.global.cas.b32 %r1, [%rd1+4], 2, 99; st.global.b32 [%rd2+4], %r1;
  atom.global.cas.b64 %rd3, [%rd1+8], 3, 10; st.global.b64 [%rd2+8], %rd3;
  mov.u64 %rd4, 4; mov.u64 %rd5, 5; mov.b128 %q1, {%rd4, %rd5};
  mov.u64 %rd6, 6; mov.b128 %q2, {%rd6, %rd4};
  atom.global.cas.b128 %q3, [%rd1+16], %q1, %q2; mov.b128 {%rd4, %rd5}, %q3;
  st.global.v2.b64 [%rd2+16], {%rd4, %rd5};
  ret;
})");
  struct alignas(16) Memory {
    std::uint16_t a = 1, unused = 0;
    std::uint32_t b = 1;
    std::uint64_t c = 3, d[2] = {4, 5};
  } memory, out;
  module.run("k", {1}, {1}, &memory, &out);
  CHECK(memory.a == 9);
  CHECK(memory.b == 1);
  CHECK(memory.c == 10);
  CHECK(memory.d[0] == 6);
  CHECK(memory.d[1] == 4);
  CHECK(out.a == 1);
  CHECK(out.b == 1);
  CHECK(out.c == 3);
  CHECK(out.d[0] == 4);
  CHECK(out.d[1] == 5);
}

TEST_CASE("no update is lost among the blocks of a grid, in global or shared memory") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 p) {
  .shared .align 4 .u32 s;
  .reg .b64 %rd<3>; .reg .b32 %r<4>; .reg .pred %p; .reg .f32 %f; .reg .b16 %h;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x; setp.eq.u32 %p, %r1, 0;
  @%p st.shared.u32 [s], 0;
  bar.sync 0;
  atom.shared.add.u32 %r2, [s], 1;
  bar.sync 0;
  ld.shared.u32 %r3, [s];
  @%p red.global.add.u32 [%rd1], %r3;
  atom.add.f32 %f, [%rd1+4], 0f3F800000;
  red.global.add.f64 [%rd1+8], 0d3FF0000000000000;
  mov.b16 %h, 0x3c00; red.global.add.noftz.f16 [%rd1+16], %h;
  ret;
})");
  struct Memory {
    std::uint32_t count = 0;
    float sum = 0;
    double wide = 0;
    std::uint16_t half = 0;
  } memory;
  module.run("k", {16}, {64}, &memory);
  CHECK(memory.count == 1024);
  CHECK(memory.sum == 1024.0f);
  CHECK(memory.wide == 1024.0);
  CHECK(memory.half == 0x6400);  // 1024
}

TEST_CASE("vector atomics change each element") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 p) {
  .reg .b64 %rd; .reg .f32 %f<9>;
  ld.param.u64 %rd, [p];
  mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;
  atom.global.v4.f32.add {%f5, %f6, %f7, %f8}, [%rd], {%f1, %f2, %f1, %f2};
  red.global.v2.f32.add [%rd], {%f5, %f6};
  ret;
})");
  alignas(16) float memory[4] = {1, 2, 3, 4};
  module.run("k", {1}, {1}, &memory[0]);
  CHECK(memory[0] == 3);
  CHECK(memory[1] == 6);
  CHECK(memory[2] == 4);
  CHECK(memory[3] == 6);
}
