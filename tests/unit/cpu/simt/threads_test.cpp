// SPDX-License-Identifier: MIT
// Kernels whose threads wait for one another: barriers, warp operations, spin-waits, calls that
// wait.
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::testing::LoadedModule;

TEST_CASE("only a kernel that can wait becomes a coroutine") {
  LoadedModule module(R"(
.func deep() { bar.sync 0; ret; }
.func flat() { ret; }
.visible .entry waits() { call deep; ret; }
.visible .entry runs() { call flat; ret; }
.visible .entry votes() { .reg .b32 %r; activemask.b32 %r; ret; }
)");
  CHECK(module.kernel("waits").facts.suspends);
  CHECK(module.kernel("votes").facts.suspends);
  CHECK_FALSE(module.kernel("runs").facts.suspends);
  CHECK(module.kernel("waits").coroutine_bytes > 0);
}

TEST_CASE(
    "threads take turns where their own kernel uses shared memory, not another of the module") {
  LoadedModule module(R"(
.func (.reg .u32 %v) reads(.reg .b64 %p) { ld.volatile.u32 %v, [%p]; ret; }
.func (.reg .u32 %v) reads_shared(.reg .b64 %p) { ld.volatile.u32 %v, [%p]; ret; }
.visible .entry without(.param .u64 out) {
  .reg .b64 %p; .reg .b32 %v; ld.param.u64 %p, [out];
  call (%v), reads, (%p); st.volatile.u32 [%p], %v; ret;
}
.visible .entry with(.param .u64 out) {
  .shared .align 4 .b8 own[128];
  .reg .b64 %p, %s; .reg .b32 %v; ld.param.u64 %p, [out];
  cvta.shared.u64 %s, 0; call (%v), reads_shared, (%s); st.u32 [%p], %v; ret;
}
)");
  CHECK_FALSE(module.kernel("without").facts.suspends);
  CHECK(module.kernel("with").facts.suspends);
}

TEST_CASE("values live across a barrier, in registers and in local arrays of large alignment") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out) {
  .shared .align 4 .b8 tile[512];
  .local .align 256 .b8 mine[256];
  .reg .b64 %rd<6>; .reg .b32 %r<8>; .reg .f64 %d;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;
  mov.u64 %rd2, mine; and.b64 %rd3, %rd2, 255; cvt.u32.u64 %r7, %rd3;
  st.local.u32 [mine+12], %r1;
  mov.u32 %r3, tile; add.u32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1;
  bar.sync 0;
  xor.b32 %r5, %r2, 508; add.u32 %r5, %r5, %r3; ld.shared.u32 %r6, [%r5];
  ld.local.u32 %r5, [mine+12];
  mad.lo.u32 %r6, %r6, 1000, %r5; add.u32 %r6, %r6, %r7;
  mul.wide.u32 %rd4, %r1, 4; add.u64 %rd4, %rd4, %rd1; st.global.u32 [%rd4], %r6;
  ret;
})");
  std::vector<std::uint32_t> out(128);
  module.run("k", {1}, {128}, out.data());
  for (std::uint32_t i = 0; i < 128; ++i) CHECK(out[i] == (127 - i) * 1000 + i);
}

TEST_CASE("barrier reductions count, and and or the predicates of all threads") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd; .reg .b32 %r<8>; .reg .pred %p<6>;
  ld.param.u64 %rd, [out];
  mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 30;
  bar.red.popc.u32 %r2, 0, %p1;
  bar.red.and.pred %p2, 0, %p1;
  bar.red.or.pred %p3, 0, %p1;
  bar.red.popc.u32 %r3, 1, 64, !%p1;
  selp.u32 %r4, 1, 0, %p2; selp.u32 %r5, 1, 0, %p3;
  setp.eq.u32 %p4, %r1, 63;
  @%p4 st.global.v4.u32 [%rd], {%r2, %r3, %r4, %r5};
  ret;
})");
  alignas(16) std::uint32_t out[4] = {};
  module.run("k", {1}, {64}, &out[0]);
  CHECK(out[0] == 30);
  CHECK(out[1] == 34);
  CHECK(out[2] == 0);
  CHECK(out[3] == 1);
}

TEST_CASE("shuffles, votes, matches and reductions exchange values within a warp") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<3>; .reg .b32 %r<16>; .reg .pred %p<6>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  shfl.sync.up.b32 %r2|%p1, %r1, 1, 0, 0xffffffff;
  shfl.sync.down.b32 %r3, %r1, 4, 31, 0xffffffff;
  shfl.sync.bfly.b32 %r4, %r1, 16, 31, 0xffffffff;
  shfl.sync.idx.b32 %r5, %r1, 5, 31, 0xffffffff;
  and.b32 %r6, %r1, 1; setp.eq.u32 %p2, %r6, 1;
  vote.sync.ballot.b32 %r7, %p2, 0xffffffff;
  vote.sync.any.pred %p3, %p2, 0xffffffff; vote.sync.all.pred %p4, %p2, 0xffffffff;
  selp.u32 %r8, 1, 0, %p3; selp.u32 %r9, 1, 0, %p4; selp.u32 %r10, 1, 0, %p1;
  match.any.sync.b32 %r11, %r6, 0xffffffff;
  redux.sync.add.s32 %r12, %r1, 0xffffffff;
  redux.sync.max.u32 %r13, %r1, 0xffffffff;
  shl.b32 %r8, %r8, 1; or.b32 %r8, %r8, %r9; shl.b32 %r8, %r8, 1; or.b32 %r8, %r8, %r10;
  mul.wide.u32 %rd2, %r1, 48; add.u64 %rd2, %rd2, %rd1;
  st.global.v4.u32 [%rd2], {%r2, %r3, %r4, %r5};
  st.global.v4.u32 [%rd2+16], {%r7, %r8, %r11, %r12};
  st.global.u32 [%rd2+32], %r13;
  ret;
})");
  std::vector<std::uint32_t> out(32 * 12);
  module.run("k", {1}, {32}, out.data());
  for (std::uint32_t i = 0; i < 32; ++i) {
    const std::uint32_t* lane = &out[i * 12];
    CHECK(lane[0] == (i ? i - 1 : 0));
    CHECK(lane[1] == (i < 28 ? i + 4 : i));
    CHECK(lane[2] == (i ^ 16));
    CHECK(lane[3] == 5);
    CHECK(lane[4] == 0xaaaaaaaa);
    CHECK(lane[5] == (4u | (i ? 1u : 0u)));
    CHECK(lane[6] == (i % 2 ? 0xaaaaaaaa : 0x55555555));
    CHECK(lane[7] == 496);
    CHECK(lane[8] == 31);
  }
}

TEST_CASE("a warp operation in divergent code concerns the lanes that are there") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<3>; .reg .b32 %r<4>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 10;
  mov.u32 %r2, 0;
  @!%p1 bra join;
  activemask.b32 %r2;
  shfl.sync.bfly.b32 %r3, %r1, 1, 31, 0x3ff;
  shl.b32 %r3, %r3, 16; or.b32 %r2, %r2, %r3;
join:
  bar.warp.sync 0xffffffff;
  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], %r2;
  ret;
})");
  std::vector<std::uint32_t> out(32);
  module.run("k", {1}, {32}, out.data());
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(out[i] == (i < 10 ? 0x3ffu | (i ^ 1) << 16 : 0u));
}

TEST_CASE("elect chooses the lowest lane of its mask") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<3>; .reg .b32 %r<4>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
  setp.ge.u32 %p1, %r1, 3; @!%p1 ret;
  elect.sync %r2|%p2, 0xfffffff8;
  @!%p2 ret;
  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], %r2;
  ret;
})");
  std::vector<std::uint32_t> out(32, 99);
  module.run("k", {1}, {32}, out.data());
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(out[i] == (i == 3 ? 3u : 99u));
}

TEST_CASE("a recursive device function may wait at a barrier on every level") {
  LoadedModule module(R"(
.shared .align 4 .b8 tile[256];
.func (.param .b32 r) around(.param .b32 value, .param .b32 depth) {
  .reg .pred %p; .reg .b32 %r<12>;
  ld.param.u32 %r1, [value]; ld.param.u32 %r2, [depth];
  mov.u32 %r3, %tid.x; shl.b32 %r4, %r3, 2; mov.u32 %r5, tile; add.u32 %r6, %r5, %r4;
  st.shared.u32 [%r6], %r1;
  bar.sync 0;
  add.u32 %r7, %r4, 4; and.b32 %r7, %r7, 255; add.u32 %r7, %r7, %r5; ld.shared.u32 %r8, [%r7];
  bar.sync 0;
  setp.eq.u32 %p, %r2, 0;
  @%p bra done;
  sub.u32 %r9, %r2, 1;
  { .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %r8; st.param.b32 [b], %r9;
    call.uni (c), around, (a, b); ld.param.b32 %r10, [c]; }
  add.u32 %r8, %r8, %r10;
done:
  st.param.b32 [r], %r8;
  ret;
}
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<3>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
  { .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %r1; st.param.b32 [b], 5;
    call.uni (c), around, (a, b); ld.param.b32 %r2, [c]; }
  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], %r2;
  ret;
})");
  std::vector<std::uint32_t> out(64);
  module.run("k", {1}, {64}, out.data());
  for (std::uint32_t i = 0; i < 64; ++i) {
    std::uint32_t expected = 0;
    for (std::uint32_t d = 1; d <= 6; ++d) expected += (i + d) % 64;
    CHECK(out[i] == expected);
  }
}

TEST_CASE("function pointers to functions of which one waits") {
  LoadedModule module(R"(
.func (.param .b32 r) calm(.param .b32 x) { .reg .b32 %r; ld.param.u32 %r, [x]; st.param.b32 [r], %r; ret; }
.func (.param .b32 r) waiting(.param .b32 x) {
  .reg .b32 %r<3>; ld.param.u32 %r1, [x];
  shfl.sync.bfly.b32 %r2, %r1, 2, 31, 0xaaaaaaaa;
  st.param.b32 [r], %r2; ret; }
.global .align 8 .u64 table[2] = {calm, waiting};
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<6>; .reg .b32 %r<5>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 1; mul.wide.u32 %rd2, %r2, 8; mov.u64 %rd3, table; add.u64 %rd2, %rd2, %rd3;
  ld.global.u64 %rd4, [%rd2];
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;
    proto: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (b), %rd4, (a), proto;
    ld.param.b32 %r3, [b]; }
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r3;
    call (b), calm, (a);
    ld.param.b32 %r3, [b]; }
  mul.wide.u32 %rd5, %r1, 4; add.u64 %rd5, %rd5, %rd1;
  st.global.u32 [%rd5], %r3;
  ret;
})");
  std::vector<std::uint32_t> out(32);
  module.run("k", {1}, {32}, out.data());
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(out[i] == (i % 2 ? (i ^ 2) : i));
}

TEST_CASE("a thread that waits for another one's store lets it run") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 flag, .param .u64 out) {
  .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [flag]; ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 40;
  @%p1 bra wait;
  st.volatile.global.u32 [%rd1], 1;
wait:
  ld.volatile.global.u32 %r2, [%rd1];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra wait;
  red.global.add.u32 [%rd2], 1;
  ret;
})");
  std::uint32_t flag = 0, out = 0;
  CHECK(module.kernel("k").facts.suspends);
  module.run("k", {1}, {64}, &flag, &out);
  CHECK(out == 64);
}

TEST_CASE("a lock taken in a loop whose exit is a flag does not hang") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 lock, .param .u64 count) {
  .reg .b64 %rd<4>; .reg .b32 %r<6>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [lock]; ld.param.u64 %rd2, [count];
  mov.u32 %r4, 0;
again:
  atom.global.cas.b32 %r1, [%rd1], 0, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra next;
  ld.volatile.global.u32 %r2, [%rd2]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%rd2], %r2;
  membar.gl;
  atom.global.exch.b32 %r3, [%rd1], 0;
  mov.u32 %r4, 1;
next:
  setp.eq.u32 %p2, %r4, 0;
  @%p2 bra again;
  ret;
})");
  std::uint32_t lock = 0, count = 0;
  CHECK(module.kernel("k").facts.suspends);
  module.run("k", {8}, {64}, &lock, &count);
  CHECK(count == 512);
}

TEST_CASE("a compare-and-swap loop that goes on with what it found needs no yields") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 p) {
  .reg .b64 %rd; .reg .b32 %r<6>; .reg .pred %p;
  ld.param.u64 %rd, [p];
  ld.global.u32 %r1, [%rd];
again:
  mov.u32 %r2, %r1;
  add.u32 %r3, %r2, 1;
  atom.global.cas.b32 %r1, [%rd], %r2, %r3;
  setp.ne.u32 %p, %r1, %r2;
  @%p bra again;
  ret;
})");
  std::uint32_t count = 0;
  CHECK_FALSE(module.kernel("k").facts.suspends);
  module.run("k", {8}, {64}, &count);
  CHECK(count == 512);
}

TEST_CASE("a histogram of atomics needs no yields") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 p, .param .u32 n) {
  .reg .b64 %rd<3>; .reg .b32 %r<6>; .reg .pred %p;
  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x; mov.u32 %r5, %ntid.x;
again:
  and.b32 %r3, %r2, 7; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd2, %rd1;
  atom.global.add.u32 %r4, [%rd2], 1;
  add.u32 %r2, %r2, %r5;
  setp.lt.u32 %p, %r2, %r1;
  @%p bra again;
  ret;
})");
  std::vector<std::uint32_t> bins(8);
  CHECK_FALSE(module.kernel("k").facts.suspends);
  module.run("k", {1}, {32}, bins.data(), 800u);
  CHECK(bins == std::vector<std::uint32_t>(8, 100));
}

TEST_CASE(
    "what another stage left undone is not in the code: large blocks of plain kernels visit every "
    "thread") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<3>; .reg .b32 %r<8>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y;
  mad.lo.u32 %r6, %r3, %r5, %r2; mad.lo.u32 %r6, %r6, %r4, %r1;
  mul.wide.u32 %rd2, %r6, 4; add.u64 %rd2, %rd2, %rd1;
  red.global.add.u32 [%rd2], 1;
  ret;
})");
  std::vector<std::uint32_t> out(7 * 9 * 11);
  module.run("k", {3}, {7, 9, 11}, out.data());
  CHECK(out == std::vector<std::uint32_t>(out.size(), 3));
}
