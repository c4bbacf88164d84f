// SPDX-License-Identifier: MIT
// Branches, guards, loops, the ends of threads, special registers.
#include <cstdint>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::testing::diagnostics_of;
using pycuda::cpu::testing::LoadedModule;

TEST_CASE("a vector addition over several blocks adds every element and no more") {
  LoadedModule module(R"(
.visible .entry vadd(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %rd<8>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p, %r5, %r1;
  @%p bra $done;
  cvta.to.global.u64 %rd4, %rd1;
  mul.wide.s32 %rd5, %r5, 4;
  add.s64 %rd6, %rd4, %rd5;
  ld.global.f32 %f1, [%rd6];
  add.s64 %rd6, %rd2, %rd5;
  ld.global.f32 %f2, [%rd6];
  add.f32 %f3, %f1, %f2;
  add.s64 %rd6, %rd3, %rd5;
  st.global.f32 [%rd6], %f3;
$done:
  ret;
})");
  constexpr std::uint32_t count = 1000;
  std::vector<float> a(count), b(count), c(count + 24, -1.0f);
  for (std::uint32_t i = 0; i < count; ++i)
    a[i] = static_cast<float>(i), b[i] = 0.5f * static_cast<float>(i);
  module.run("vadd", {8}, {128}, a.data(), b.data(), c.data(), count);
  for (std::uint32_t i = 0; i < count; ++i) CHECK(c[i] == a[i] + b[i]);
  for (std::uint32_t i = count; i < c.size(); ++i) CHECK(c[i] == -1.0f);
}

TEST_CASE("a guard runs an instruction only where its predicate holds, negated or not") {
  LoadedModule module(R"(
.visible .entry guarded(.param .u64 out) {
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
  setp.lt.u32 %p, %r1, 3;
  mov.u32 %r2, 0;
  @%p mov.u32 %r2, 10;
  @!%p add.u32 %r2, %r2, 20;
  @%p st.global.u32 [%rd3], %r2;
  @%p ret;
  st.global.u32 [%rd3], %r2;
  ret;
})");
  std::vector<std::uint32_t> out(8);
  module.run("guarded", {1}, {8}, out.data());
  CHECK(out == std::vector<std::uint32_t>{10, 10, 10, 20, 20, 20, 20, 20});
}

TEST_CASE("instructions behind one guard are its own until it changes or a jump comes between") {
  LoadedModule module(R"(
.visible .entry guarded(.param .u64 out) {
  .reg .pred %p, %q; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
  setp.lt.u32 %p, %r1, 6;
  mov.u32 %r2, 0;
  @%p add.u32 %r2, %r2, 1;
  @%p setp.lt.u32 %p|%q, %r1, 4;
  @%p add.u32 %r2, %r2, 10;
  @%p setp.lt.u32 %q|%p, %r1, 2;
  @%p add.u32 %r2, %r2, 100;
  setp.lt.u32 %q, %r1, 3;
  @%q bra $inner;
  @%p add.u32 %r2, %r2, 1000;
$inner:
  @%p add.u32 %r2, %r2, 10000;
  @%p add.u32 %r2, %r2, 20000;
  @!%p add.u32 %r2, %r2, 100000;
  st.global.u32 [%rd3], %r2;
  ret;
})");
  std::vector<std::uint32_t> out(8);
  module.run("guarded", {1}, {8}, out.data());
  CHECK(out ==
        std::vector<std::uint32_t>{100011, 100011, 30111, 31111, 100001, 100001, 100000, 100000});
}

TEST_CASE("a loop runs as often as each thread asks") {
  LoadedModule module(R"(
.visible .entry sums(.param .u64 out) {
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 0; mov.u32 %r3, 0;
again:
  add.u32 %r3, %r3, %r2;
  add.u32 %r2, %r2, 1;
  setp.le.u32 %p, %r2, %r1;
  @%p bra again;
  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
  ret;
})");
  std::vector<std::uint32_t> out(50);
  module.run("sums", {1}, {50}, out.data());
  for (std::uint32_t i = 0; i < 50; ++i) CHECK(out[i] == i * (i + 1) / 2);
}

TEST_CASE("an indexed branch goes to the label of its index") {
  LoadedModule module(R"(
.visible .entry jump(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
  list: .branchtargets A, B, C;
  brx.idx %r1, list;
A: mov.u32 %r2, 7; bra.uni E;
B: mov.u32 %r2, 8; bra.uni E;
C: mov.u32 %r2, 9;
E: st.global.u32 [%rd3], %r2;
  ret;
})");
  std::vector<std::uint32_t> out(3);
  module.run("jump", {1}, {3}, out.data());
  CHECK(out == std::vector<std::uint32_t>{7, 8, 9});
  std::vector<std::uint32_t> more(4);
  const auto fault = module.fault_of("jump", {1}, {4}, more.data());
  REQUIRE(fault);
  CHECK(fault->kind == pycuda::cpu::FaultKind::BranchTarget);
}

TEST_CASE("special registers tell where a thread stands") {
  LoadedModule module(R"(
.visible .entry place(.param .u64 out) {
  .reg .b32 %r<20>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
  mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ntid.z;
  mov.u32 %r7, %ctaid.x; mov.u32 %r8, %ctaid.y; mov.u32 %r9, %nctaid.x; mov.u32 %r10, %nctaid.y;
  mov.u32 %r11, %laneid; mov.u32 %r12, %warpid; mov.u32 %r13, %nwarpid;
  mov.u32 %r14, %lanemask_lt; mov.u32 %r15, %lanemask_ge;
  mad.lo.u32 %r16, %r3, %r5, %r2; mad.lo.u32 %r16, %r16, %r4, %r1;
  mad.lo.u32 %r17, %r8, %r9, %r7;
  mul.lo.u32 %r18, %r4, %r5; mul.lo.u32 %r18, %r18, %r6;
  mad.lo.u32 %r16, %r17, %r18, %r16;
  mul.wide.u32 %rd2, %r16, 32; add.s64 %rd3, %rd1, %rd2;
  st.global.v4.u32 [%rd3], {%r1, %r2, %r3, %r11};
  st.global.v4.u32 [%rd3+16], {%r12, %r13, %r14, %r15};
  ret;
})");
  struct Place {
    std::uint32_t x, y, z, lane, warp, warps, below, from;
  };
  std::vector<Place> out(2 * 3 * 60);
  module.run("place", {2, 3}, {5, 4, 3}, out.data());
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    const std::uint32_t linear = i % 60, lane = linear % 32;
    CHECK(out[i].x == linear % 5);
    CHECK(out[i].y == linear / 5 % 4);
    CHECK(out[i].z == linear / 20);
    CHECK(out[i].lane == lane);
    CHECK(out[i].warp == linear / 32);
    CHECK(out[i].warps == 64);  // of a multiprocessor, whatever the block
    CHECK(out[i].below == (1u << lane) - 1);
    CHECK(out[i].from == ~((1u << lane) - 1));
  }
}

TEST_CASE("a trap stops the launch and names the kernel") {
  LoadedModule module(".visible .entry dies() { trap; }");
  const auto fault = module.fault_of("dies", {1}, {1});
  REQUIRE(fault);
  CHECK(fault->kind == pycuda::cpu::FaultKind::Trap);
  CHECK(fault->message.find("dies") != std::string::npos);
}

TEST_CASE("clocks go forward and nanosleep returns") {
  LoadedModule module(R"(
.visible .entry clocks(.param .u64 out) {
  .reg .b64 %rd<8>; .reg .b32 %r<2>;
  ld.param.u64 %rd1, [out];
  mov.u64 %rd2, %globaltimer; mov.u64 %rd3, %clock64;
  nanosleep.u32 1000;
  mov.u64 %rd4, %globaltimer; mov.u64 %rd5, %clock64;
  st.global.v2.u64 [%rd1], {%rd2, %rd4};
  st.global.v2.u64 [%rd1+16], {%rd3, %rd5};
  ret;
})");
  std::vector<std::uint64_t> out(4);
  module.run("clocks", {1}, {1}, out.data());
  CHECK(out[1] > out[0]);
  CHECK(out[3] > out[2]);
}

TEST_CASE("instructions that the driver lacks are named as written, with their lines") {
  const std::string text = diagnostics_of(R"(
.visible .entry k(.param .u64 p) {
  .reg .b64 %rd<4>; .reg .pred %p<2>; .reg .b128 %q<2>;
  ld.param.u64 %rd1, [p];
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %q1;
  tcgen05.wait::ld.sync.aligned;
  ret;
})");
  CHECK(text.find("ptx:8:") != std::string::npos);
  CHECK(text.find("'clusterlaunchcontrol.query_cancel.is_canceled.pred.b128' is not supported by "
                  "the CPU driver") != std::string::npos);
  CHECK(text.find("'tcgen05.wait::ld.sync.aligned' is not supported by the CPU driver") !=
        std::string::npos);
}

TEST_CASE("values of the wrong kind are errors, not crashes") {
  CHECK(diagnostics_of(
            ".visible .entry k() { .reg .pred %p; .reg .b32 %r; add.u32 %r, %p, 1; ret; }") != "");
  CHECK(diagnostics_of(
            ".visible .entry k() { .reg .pred %p; .reg .b32 %r; mov.u32 %p, %r; ret; }") != "");
  CHECK(diagnostics_of(".visible .entry k() { .reg .b32 %r; call nothing, (%r); ret; }") != "");
  CHECK(
      diagnostics_of(".extern .func far(); .visible .entry k() { call far; ret; }").find("'far'") !=
      std::string::npos);
}
