// SPDX-License-Identifier: MIT
// Blocks that run as one, and loops that step over the grid: always the scalar bits.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::KernelFacts;
using pycuda::cpu::testing::gangs_of;
using pycuda::cpu::testing::LoadedModule;

namespace {

constexpr std::uint32_t size = 70000;

/// Runs `.entry k(u64 in, u64 out, u32 n)`, over arrays of `size` words, on both paths.
KernelFacts compare(const std::string& text) {
  std::vector<std::uint32_t> in(size);
  for (std::uint32_t i = 0; i < size; ++i) in[i] = i * 2654435761u ^ (i << 9);
  KernelFacts facts;
  for (const unsigned lanes : {16u, 32u, 64u}) {
    LoadedModule module(text, gangs_of(lanes));
    facts = module.kernel("k").facts;
    CHECK_MESSAGE(facts.gang_lanes == lanes, facts.scalar_reason);
    for (const auto& [grid, block] :
         {std::pair{Dim3{8}, Dim3{256}}, std::pair{Dim3{33}, Dim3{72}},
          std::pair{Dim3{5}, Dim3{250}}, std::pair{Dim3{300}, Dim3{1}},
          std::pair{Dim3{40}, Dim3{33}}, std::pair{Dim3{3}, Dim3{1000}},
          std::pair{Dim3{2, 2}, Dim3{64}}, std::pair{Dim3{4}, Dim3{32, 2}}}) {
      for (const std::uint32_t n : {0u, 1u, 31u, 2048u, 2049u, 9973u, 65536u, 69999u}) {
        std::vector<std::uint32_t> expected(size, 5), out(size, 5);
        module.thread_by_thread = true;
        module.run("k", grid, block, in.data(), expected.data(), n);
        module.thread_by_thread = false;
        module.run("k", grid, block, in.data(), out.data(), n);
        const bool same = out == expected;
        CHECK_MESSAGE(same, lanes << " lanes, grid " << grid.x << ", block " << block.x << " x "
                                  << block.y << ", n " << n);
        if (!same) return facts;
      }
    }
  }
  return facts;
}

const std::string start = R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {
  .reg .b64 %in, %out, %a, %b, %l, %nl; .reg .b32 %n, %i, %tx, %nx, %bx, %gx, %s, %r<9>;
  .reg .pred %p, %q;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
  mov.u32 %tx, %tid.x; mov.u32 %nx, %ntid.x; mov.u32 %bx, %ctaid.x; mov.u32 %gx, %nctaid.x;
  mul.lo.s32 %s, %gx, %nx;
)";

}  // namespace

TEST_CASE("a loop over the grid with signed counters") {
  const KernelFacts facts = compare(start + R"(
  mad.lo.s32 %i, %bx, %nx, %tx; setp.ge.s32 %p, %i, %n; @%p bra done;
loop:
  mul.wide.s32 %a, %i, 4; add.u64 %b, %a, %in; add.u64 %a, %a, %out;
  ld.global.u32 %r2, [%b]; mad.lo.s32 %r2, %r2, 3, %i; st.global.u32 [%a], %r2;
  add.s32 %i, %i, %s; setp.lt.s32 %p, %i, %n; @%p bra loop;
done: ret; })");
  CHECK(facts.fuses_blocks);
  CHECK(facts.fusible_block == 0);
  CHECK(facts.strides_over_grid);
  CHECK(facts.gang_frame_bytes == 4);
}

TEST_CASE("a loop over the grid as PyCUDA's elementwise kernels have it: 32 bits against 64") {
  const KernelFacts facts = compare(start + R"(
  cvt.u64.u32 %nl, %n; mul.lo.s32 %r1, %nx, %bx; add.s32 %i, %r1, %tx;
  cvt.u64.u32 %l, %i; setp.ge.s64 %p, %l, %nl; @%p bra done;
loop:
  shl.b64 %a, %l, 2; add.u64 %b, %a, %in; add.u64 %a, %a, %out;
  ld.global.u32 %r2, [%b]; mad.lo.s32 %r2, %r2, 7, 1; st.global.u32 [%a], %r2;
  add.s32 %i, %i, %s; cvt.u64.u32 %l, %i; setp.lt.s64 %p, %l, %nl; @%p bra loop;
done: ret; })");
  CHECK(facts.fuses_blocks);
  CHECK(facts.strides_over_grid);
}

TEST_CASE("a loop over the grid that gathers a sum for each thread") {
  const KernelFacts facts = compare(start + R"(
  mad.lo.s32 %r5, %bx, %nx, %tx; mov.u32 %i, %r5; mov.u32 %r4, 1;
  setp.ge.u32 %p, %i, %n; @%p bra done;
loop:
  mul.wide.u32 %a, %i, 4; add.u64 %b, %a, %in; ld.global.u32 %r2, [%b];
  mad.lo.s32 %r4, %r4, 5, %r2; add.s32 %i, %i, %s; setp.lt.u32 %p, %i, %n; @%p bra loop;
done: mul.wide.u32 %a, %r5, 4; add.u64 %a, %a, %out; st.global.u32 [%a], %r4; ret; })");
  CHECK(facts.fuses_blocks);
  CHECK(facts.strides_over_grid);
}

TEST_CASE("loops over the grid with inner loops and breaks") {
  compare(start + R"(
  mad.lo.s32 %i, %bx, %nx, %tx; setp.ge.s32 %p, %i, %n; @%p bra done;
loop:
  mul.wide.s32 %a, %i, 4; add.u64 %b, %a, %in; add.u64 %a, %a, %out; ld.global.u32 %r2, [%b];
  and.b32 %r3, %r2, 7; mov.u32 %r4, 0;
inner:
  mad.lo.s32 %r4, %r4, 3, %r2; add.s32 %r3, %r3, -1; setp.gt.s32 %q, %r3, 0; @%q bra inner;
  st.global.u32 [%a], %r4; and.b32 %r3, %r2, 255; setp.eq.s32 %q, %r3, 17; @%q bra done;
  add.s32 %i, %i, %s; setp.lt.s32 %p, %i, %n; @%p bra loop;
done: ret; })");
}

TEST_CASE("counters near the end of their 32 bits wrap as they do for one thread") {
  compare(start + R"(
  mad.lo.s32 %i, %bx, %nx, %tx; add.u32 %r6, %n, -2000; mov.u32 %r5, 0;
  add.u32 %i, %i, %r6; setp.lt.u32 %p, %i, 1000; @%p bra done;
loop:
  and.b32 %r2, %i, 65535; mul.wide.u32 %a, %r2, 4; add.u64 %b, %a, %in; add.u64 %a, %a, %out;
  ld.global.u32 %r3, [%b]; st.global.u32 [%a], %r3;
  add.u32 %r5, %r5, 1; setp.gt.u32 %q, %r5, 40; @%q bra done;
  add.u32 %i, %i, %s; setp.ge.u32 %p, %i, 1000; @%p bra loop;
done: ret; })");
}

TEST_CASE("blocks of a constant size run as one if they are launched with it") {
  const KernelFacts facts = compare(start + R"(
  shl.b32 %r0, %bx, 8; add.s32 %i, %r0, %tx; setp.ge.s32 %p, %i, %n; @%p ret;
  mul.wide.s32 %a, %i, 4; add.u64 %b, %a, %in; add.u64 %a, %a, %out;
  ld.global.u32 %r2, [%b]; st.global.u32 [%a], %r2; ret; })");
  CHECK(facts.fuses_blocks);
  CHECK(facts.fusible_block == 256);
  CHECK(!facts.strides_over_grid);
}

TEST_CASE("blocks whose threads know their own number stay apart") {
  CHECK(!compare(start + R"(
  mad.lo.s32 %i, %bx, %nx, %tx; setp.ge.s32 %p, %i, %n; @%p ret;
  mul.wide.s32 %a, %i, 4; add.u64 %a, %a, %out; st.global.u32 [%a], %tx; ret; })")
             .fuses_blocks);
  CHECK(!compare(start + R"(
  mad.lo.s32 %i, %bx, %nx, %tx; setp.ge.s32 %p, %i, %n; @%p ret;
  mul.wide.s32 %a, %i, 4; add.u64 %a, %a, %out; st.global.u32 [%a], %bx; ret; })")
             .fuses_blocks);
  CHECK(!compare(start + R"(
  .shared .align 4 .b8 own[4096];
  mad.lo.s32 %i, %bx, %nx, %tx; setp.ge.s32 %p, %i, %n; @%p ret;
  and.b32 %r1, %i, 31; shl.b32 %r1, %r1, 2; mov.u32 %r2, own; add.u32 %r1, %r1, %r2;
  st.shared.u32 [%r1], %nx;
  mul.wide.s32 %a, %i, 4; add.u64 %a, %a, %out; st.global.u32 [%a], %gx; ret; })")
             .fuses_blocks);
}

TEST_CASE("a fault in blocks that run as one is told of the thread and block it happened in") {
  LoadedModule module(start + R"(
  mad.lo.s32 %i, %bx, %nx, %tx; setp.ne.s32 %p, %i, %n; @%p ret; trap; })",
                      gangs_of(32));
  CHECK(module.kernel("k").facts.fuses_blocks);
  std::vector<std::uint32_t> out(4);
  const auto fault = module.fault_of("k", {64}, {72}, out.data(), out.data(), 72u * 41 + 64);
  REQUIRE(fault);
  CHECK(fault->block.x == 41);
  CHECK(fault->thread.x == 64);
}

TEST_CASE("a loop over the grid that the compiler unrolled: trips are counted by a division") {
  const KernelFacts facts = compare(start + R"(
  mad.lo.s32 %i, %bx, %nx, %tx; setp.ge.s32 %p, %i, %n; @%p bra done;
  add.s32 %r0, %s, %n; add.s32 %r1, %i, %s; not.b32 %r1, %r1; add.s32 %r0, %r0, %r1;
  div.u32 %r1, %r0, %s; add.s32 %r2, %r1, 1; and.b32 %r2, %r2, 1; setp.eq.s32 %q, %r2, 0;
  @%q bra twice;
  mul.wide.s32 %a, %i, 4; add.u64 %b, %a, %in; add.u64 %a, %a, %out;
  ld.global.u32 %r3, [%b]; mad.lo.s32 %r3, %r3, 3, %i; st.global.u32 [%a], %r3;
  add.s32 %i, %i, %s;
twice:
  setp.lt.u32 %q, %r1, 1; @%q bra done; mul.wide.s32 %l, %s, 4;
loop:
  mul.wide.s32 %a, %i, 4; add.u64 %b, %a, %in; add.u64 %a, %a, %out;
  ld.global.u32 %r3, [%b]; mad.lo.s32 %r3, %r3, 3, %i; st.global.u32 [%a], %r3;
  add.u64 %b, %b, %l; add.u64 %a, %a, %l; add.s32 %i, %i, %s;
  ld.global.u32 %r3, [%b]; mad.lo.s32 %r3, %r3, 3, %i; st.global.u32 [%a], %r3;
  add.s32 %i, %i, %s; setp.lt.s32 %p, %i, %n; @%p bra loop;
done: ret; })");
  CHECK(facts.fuses_blocks);
  CHECK(facts.strides_over_grid);
}
