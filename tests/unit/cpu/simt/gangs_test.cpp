// SPDX-License-Identifier: MIT
// The vector path against the scalar one: the same kernels must give the same bits.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::vectors;

TEST_CASE("gangs run in a loop, those of a kernel with barriers in one for each way between them") {
  LoadedModule module(R"(
.visible .entry plain() { ret; }
.visible .entry waits() { bar.sync 0; ret; }
.visible .entry votes() { .reg .b32 %r; activemask.b32 %r; ret; }
.visible .entry parted() { .reg .b32 %r; .reg .pred %p; mov.u32 %r, %tid.x; setp.lt.u32 %p, %r, 7;
  @%p bar.sync 0; st.shared.u32 [%r], %r; ret; }
)",
                      vectors(true));
  CHECK((module.kernel("plain").run_gangs != nullptr));
  CHECK(module.kernel("plain").facts.gang_frame_bytes == 0);
  CHECK((module.kernel("waits").run_gangs != nullptr));
  CHECK(module.kernel("waits").facts.gang_frame_bytes != 0);
  CHECK(module.kernel("votes").facts.gang_lanes == 32);
  CHECK(module.kernel("votes").facts.gangs_are_warps);
  CHECK_FALSE(module.kernel("plain").facts.gangs_are_warps);
  CHECK(module.kernel("parted").facts.scalar_reason == "a barrier in divergent control flow");
}

TEST_CASE("a fault in a gang is reported, with a thread of the gang") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<3>; .reg .b32 %r; .reg .pred %p;
  ld.param.u64 %rd1, [out]; mov.u32 %r, %tid.x;
  mul.wide.u32 %rd2, %r, 4; add.u64 %rd2, %rd2, %rd1; setp.eq.u32 %p, %r, 70;
  @%p mov.u64 %rd2, 64;
  st.global.u32 [%rd2], %r; ret;
}
.visible .entry t() { .reg .b32 %r; .reg .pred %p; mov.u32 %r, %tid.x; setp.eq.u32 %p, %r, 70; @%p trap; ret; }
)",
                      vectors(true));
  std::vector<std::uint32_t> out(128);
  const auto fault = module.fault_of("k", {1}, {128}, out.data());
  REQUIRE(fault.has_value());
  const auto trap = module.fault_of("t", {1}, {128});
  REQUIRE(trap.has_value());
  CHECK_MESSAGE(trap->message.find("(70, 0, 0)") != std::string::npos, trap->message);
}

TEST_CASE("what lanes call one by one, they call in order and under their own number") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out, .param .u64 next) {
  .reg .b64 %rd<5>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [next]; mov.u32 %r1, %tid.x;
  atom.global.add.u32 %r2, [%rd2], 1;
  mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd3, %rd1; st.global.u32 [%rd3], %r2; ret;
})",
                      vectors(true));
  std::vector<std::uint32_t> out(77), expected(77);
  std::uint32_t next = 0;
  std::iota(expected.begin(), expected.end(), 0u);
  module.run("k", {1}, {77}, out.data(), &next);
  CHECK(out == expected);
}

TEST_CASE("a misaligned access of one lane is found") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out, .param .u64 wrong) {
  .reg .b64 %rd<4>; .reg .b32 %r<2>; .reg .pred %p;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd3, [wrong]; mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4; setp.eq.u32 %p, %r1, 21; @%p add.u64 %rd2, %rd2, %rd3; add.u64 %rd2, %rd2, %rd1;
  st.global.u32 [%rd2], %r1; ret;
})",
                      vectors(true));
  std::vector<std::uint32_t> out(65);
  module.run("k", {1}, {64}, out.data(), std::uint64_t{0});
  CHECK(out[21] == 21);
  const auto fault = module.fault_of("k", {1}, {64}, out.data(), std::uint64_t{2});
  REQUIRE(fault.has_value());
  CHECK_MESSAGE(fault->message.find("(21, 0, 0)") != std::string::npos, fault->message);
}

TEST_CASE("an or that is a sum only where the guard says so, with lane 0 outside of the guard") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<3>; .reg .b32 %r<4>; .reg .pred %p;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
  sub.u32 %r2, 31, %r1; setp.ge.u32 %p, %r2, 16; @%p ret;
  or.b32 %r3, %r2, 16;
  mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], %r1; ret;
})",
                      vectors(true));
  std::vector<std::uint32_t> out(64, 7), expected(64, 7);
  for (std::uint32_t tid = 16; tid < 32; ++tid) expected[31 - tid + 16] = tid;
  module.run("k", {1}, {32}, out.data());
  CHECK(out == expected);
  std::fill(out.begin(), out.end(), 7u);
  std::fill(expected.begin(), expected.end(), 7u);
  for (std::uint32_t tid = 16; tid < 21; ++tid) expected[31 - tid + 16] = tid;
  module.run("k", {1}, {21}, out.data());
  CHECK(out == expected);
}

TEST_CASE("a block that faults and nobody comes to, after the block that returns") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<3>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; rem.u32 %r2, %r1, 3; mov.u32 %r3, 5;
  TABLE: .branchtargets A, B, C;
  brx.idx %r2, TABLE;
A: add.u32 %r3, %r1, 7; bra END;
B: add.u32 %r3, %r1, 9; bra END;
C: bra END;
END:
  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], %r3; ret;
})",
                      vectors(true));
  std::vector<std::uint32_t> out(70), expected(70);
  for (std::uint32_t i = 0; i < 70; ++i) expected[i] = i % 3 == 0 ? i + 7 : i % 3 == 1 ? i + 9 : 5;
  module.run("k", {1}, {70}, out.data());
  CHECK(out == expected);
}
