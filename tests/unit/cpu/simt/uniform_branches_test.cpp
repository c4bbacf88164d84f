// SPDX-License-Identifier: MIT
// Guards that whole gangs pass, that nobody passes and that divide a gang: always the scalar bits.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "cpu/jit/plan.h"
#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::testing::gangs_of;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::vectors;

namespace {

constexpr std::uint32_t size = 8192;

/// `.entry k(u64 in, u64 out, u32 n, u32 m)` over arrays of `size` words. Each case is run by one
/// thread after the other and by gangs of 16, 32 and 64.
void compare(const std::string& text) {
  LoadedModule expected_module(text, vectors(false));
  std::vector<std::uint32_t> in(size);
  for (std::uint32_t i = 0; i < size; ++i) in[i] = i * 2654435761u ^ (i << 9);
  for (const unsigned lanes : {16u, 32u, 64u}) {
    LoadedModule module(text, gangs_of(lanes));
    CHECK_MESSAGE(module.kernel("k").facts.gang_lanes == lanes,
                  module.kernel("k").facts.scalar_reason);
    for (const auto& [grid, block] :
         {std::tuple{Dim3{4}, Dim3{256}}, std::tuple{Dim3{3}, Dim3{72}},
          std::tuple{Dim3{5}, Dim3{96}}, std::tuple{Dim3{4}, Dim3{250}},
          std::tuple{Dim3{2}, Dim3{1000}}, std::tuple{Dim3{2}, Dim3{64, 4}},
          std::tuple{Dim3{2, 2}, Dim3{16, 16}}, std::tuple{Dim3{3, 2}, Dim3{8, 8}}}) {
      for (const std::uint32_t n : {0u, 1u, 15u, 64u, 179u, 435u, 947u, 1971u}) {
        for (const std::uint32_t m : {7u, 40u}) {
          std::vector<std::uint32_t> expected(size, 5), out(size, 5);
          expected_module.run("k", grid, block, in.data(), expected.data(), n, m);
          module.run("k", grid, block, in.data(), out.data(), n, m);
          const bool same = out == expected;
          CHECK_MESSAGE(same, lanes << " lanes, block " << block.x << " x " << block.y << ", n "
                                    << n << ", m " << m);
          if (!same) return;
        }
      }
    }
  }
}

const std::string start = R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 m) {
  .reg .b64 %in, %out, %a, %b; .reg .b32 %n, %m, %tx, %ty, %nx, %ny, %i, %j, %x, %y, %r<9>;
  .reg .pred %p, %q, %s; .reg .f32 %f<4>; .shared .align 16 .b8 tile[4096];
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n]; ld.param.u32 %m, [m];
  mov.u32 %tx, %tid.x; mov.u32 %ty, %tid.y; mov.u32 %nx, %ntid.x; mov.u32 %ny, %ntid.y;
  mov.u32 %r0, %ctaid.x; mad.lo.s32 %x, %r0, %nx, %tx;
  mov.u32 %r0, %ctaid.y; mad.lo.s32 %y, %r0, %ny, %ty;
  mov.u32 %r1, %nctaid.x; mul.lo.s32 %r1, %r1, %nx; mad.lo.s32 %i, %y, %r1, %x;
)";

}  // namespace

TEST_CASE("an early return behind n") {
  compare(start + R"(
  setp.ge.s32 %p, %i, %n; @%p ret;
  mul.wide.s32 %a, %i, 4; add.u64 %b, %a, %in; add.u64 %a, %a, %out;
  ld.global.u32 %r2, [%b]; ld.global.u32 %r3, [%a]; mad.lo.s32 %r3, %r2, 3, %r3;
  st.global.u32 [%a], %r3; ret; })");
}

TEST_CASE("a grid-stride loop, with a sum that goes round it and a break") {
  compare(start + R"(
  mov.u32 %r5, %nctaid.y; mul.lo.s32 %r5, %r5, %ny; mul.lo.s32 %r5, %r5, %r1;
  mov.u32 %j, %i; mov.u32 %r4, 1; setp.ge.s32 %p, %j, %n; @%p bra done;
loop:
  mul.wide.s32 %a, %j, 4; add.u64 %b, %a, %in; add.u64 %a, %a, %out;
  ld.global.u32 %r2, [%b]; mad.lo.s32 %r4, %r4, 5, %r2; st.global.u32 [%a], %r4;
  and.b32 %r3, %r4, 127; setp.eq.s32 %q, %r3, %m; @%q bra done;
  add.s32 %j, %j, %r5; setp.lt.s32 %p, %j, %n; @%p bra loop;
done:
  setp.ge.s32 %p, %i, 4000; @%p ret;
  mul.wide.s32 %a, %i, 4; add.u64 %a, %a, %out; st.global.u32 [%a+16384], %r4; ret; })");
}

TEST_CASE("a guard of two dimensions, with neighbours behind further guards") {
  compare(start + R"(
  setp.lt.s32 %p, %x, %m; setp.lt.s32 %q, %y, %n; and.pred %p, %p, %q;
  mov.u32 %r4, 9; @!%p bra skip;
  mad.lo.s32 %j, %y, %m, %x; min.u32 %j, %j, 2000;
  mul.wide.s32 %a, %j, 4; add.u64 %b, %a, %in;
  ld.global.u32 %r4, [%b+32];
  setp.gt.s32 %q, %x, 0; @!%q bra right;
  ld.global.u32 %r2, [%b+28]; xor.b32 %r4, %r4, %r2;
right:
  sub.s32 %r3, %m, 1; setp.ge.s32 %q, %x, %r3; @%q bra skip;
  ld.global.u32 %r2, [%b+36]; add.s32 %r4, %r4, %r2;
skip:
  min.u32 %j, %i, 8000; mul.wide.u32 %a, %j, 4; add.u64 %a, %a, %out; setp.gt.u32 %p, %i, 8000; @%p ret;
  st.global.u32 [%a], %r4; ret; })");
}

TEST_CASE("guards within loops within guards") {
  compare(start + R"(
  mov.u32 %r4, 0; mov.u32 %j, 0; setp.ge.u32 %p, %i, %n; @%p bra done;
loop:
  add.s32 %r2, %i, %j; setp.gt.s32 %q, %r2, %m; @%q bra other;
  mad.lo.s32 %r4, %r4, 3, %r2; bra next;
other:
  and.b32 %r3, %r2, 511; mul.wide.s32 %a, %r3, 4; add.u64 %a, %a, %in; ld.global.u32 %r3, [%a];
  add.s32 %r4, %r4, %r3; setp.lt.s32 %s, %r4, 0; @%s add.s32 %r4, %r4, 77;
next:
  add.s32 %j, %j, 3; sub.s32 %r3, %n, %i; setp.lt.s32 %q, %j, %r3; @!%q bra done;
  setp.lt.s32 %q, %j, 60; @%q bra loop;
done:
  mul.wide.u32 %a, %i, 4; add.u64 %a, %a, %out; setp.gt.u32 %p, %i, 8000; @%p ret;
  st.global.u32 [%a], %r4; ret; })");
}

TEST_CASE("a guard whose number wraps") {
  compare(start + R"(
  sub.s32 %j, %i, %m; setp.lt.u32 %p, %j, %n; mov.u32 %r4, 3; @!%p bra done;
  mul.wide.u32 %a, %j, 4; add.u64 %a, %a, %in; ld.global.u32 %r4, [%a];
done:
  shl.b32 %r5, %i, 28; setp.le.s32 %q, %r5, %r4; @!%q bra end; add.s32 %r4, %r4, 1;
end:
  mul.wide.u32 %a, %i, 4; add.u64 %a, %a, %out; setp.gt.u32 %p, %i, 8000; @%p ret;
  st.global.u32 [%a], %r4; ret; })");
}

TEST_CASE("a tree of sums in shared memory behind guards, and barriers") {
  compare(start + R"(
  mad.lo.s32 %r6, %ty, %nx, %tx; mul.lo.s32 %r7, %nx, %ny; mov.u32 %r8, tile;
  mad.lo.s32 %r8, %r6, 4, %r8; mov.u32 %r4, 0; setp.ge.s32 %p, %i, %n; @%p bra put;
  mul.wide.s32 %a, %i, 4; add.u64 %a, %a, %in; ld.global.u32 %r4, [%a];
put:
  st.shared.u32 [%r8], %r4; bar.sync 0; mov.u32 %j, 512;
loop:
  add.s32 %r2, %r6, %j; setp.lt.s32 %p, %r6, %j; setp.lt.s32 %q, %r2, %r7; and.pred %p, %p, %q;
  @!%p bra wait;
  mad.lo.s32 %r3, %j, 4, %r8; ld.shared.u32 %r3, [%r3]; ld.shared.u32 %r4, [%r8];
  add.s32 %r4, %r4, %r3; st.shared.u32 [%r8], %r4;
wait:
  bar.sync 0; shr.u32 %j, %j, 1; setp.ne.s32 %q, %j, 0; @%q bra loop;
  ld.shared.u32 %r4, [tile];
  mul.wide.u32 %a, %i, 4; add.u64 %a, %a, %out; setp.gt.u32 %p, %i, 8000; @%p ret;
  st.global.u32 [%a], %r4; ret; })");
}

TEST_CASE("a block's size that is a constant of the kernel limits the grid of its vector form") {
  const std::string text = start + R"(
  mov.u32 %r0, %ctaid.x; shl.b32 %j, %r0, 8; add.s32 %j, %j, %tx; setp.ge.s32 %p, %j, %n; @%p ret;
  mul.wide.s32 %a, %j, 4; add.u64 %b, %a, %in; add.u64 %a, %a, %out;
  ld.global.u32 %r2, [%b]; st.global.u32 [%a], %r2; ret; })";
  LoadedModule module(text);
  CHECK(module.kernel("k").facts.most_gang_blocks.x == (0x80000000u - 4096) / 256);
  CHECK(module.kernel("k").facts.most_gang_blocks.y == ~0u);
  std::vector<std::uint32_t> in(size, 3), out(size, 5);
  module.run("k", {8}, {256}, in.data(), out.data(), 1971u, 0u);
  CHECK(out[1970] == 3);
  CHECK(out[1971] == 5);
}

TEST_CASE("gangs are no wider than the largest block") {
  LoadedModule module(
      ".visible .entry half() .maxntid 16 { .reg .b32 %r; mov.u32 %r, %tid.x; st.shared.u32 [%r], "
      "%r; ret; }\n"
      ".visible .entry alone() .maxntid 1 { .reg .b32 %r; mov.u32 %r, %tid.x; st.shared.u32 [%r], "
      "%r; ret; }\n");
  CHECK(module.kernel("half").facts.gang_lanes == 16);
  CHECK(module.kernel("alone").facts.gang_lanes == 0);
}

TEST_CASE("kernels of one dimension have wider gangs") {
  LoadedModule module(
      ".visible .entry one() { .reg .b32 %r; mov.u32 %r, %tid.x; st.shared.u32 [%r], %r; ret; }\n"
      ".visible .entry two() { .reg .b32 %r; mov.u32 %r, %tid.y; st.shared.u32 [%r], %r; ret; }\n");
  CHECK(module.kernel("one").facts.gang_lanes == 32);
  CHECK(module.kernel("two").facts.gang_lanes == 16);
}

TEST_CASE("rows and columns of an index, for gangs within a row and across its end") {
  for (const char* sign : {"u32", "s32"}) {
    compare(start + "div." + sign + " %r2, %i, %m; rem." + sign + " %r3, %i, %m; " + R"(
  setp.ge.s32 %p, %i, %n; @%p ret;
  mad.lo.s32 %j, %r2, 5, %r3; and.b32 %j, %j, 4095; mul.wide.u32 %a, %j, 4; add.u64 %a, %a, %in;
  ld.global.u32 %r4, [%a]; mad.lo.s32 %r4, %r4, %r2, %r3;
  mul.wide.s32 %a, %i, 4; add.u64 %a, %a, %out; st.global.u32 [%a], %r4; ret; })");
  }
}

TEST_CASE("quotients of what falls, what is negative, what wraps, and by zero") {
  compare(start + R"(
  sub.s32 %r0, %n, %i; div.s32 %r1, %r0, 100; rem.s32 %r2, %r0, 100;
  shl.b32 %r3, %i, 12; add.s32 %r3, %r3, -1073741824; mul.lo.s32 %r4, %m, 16777216;
  div.u32 %r5, %r3, %r4; div.s32 %r6, %r3, %r4; rem.s32 %r7, %r3, %r4;
  sub.s32 %r8, %m, 7; div.u32 %r8, %i, %r8; xor.b32 %r1, %r1, %r8;
  mad.lo.s32 %r1, %r1, 31, %r2; mad.lo.s32 %r1, %r1, 31, %r5; mad.lo.s32 %r1, %r1, 31, %r6;
  mad.lo.s32 %r1, %r1, 31, %r7; setp.ge.s32 %p, %i, 8192; @%p ret;
  mul.wide.s32 %a, %i, 4; add.u64 %a, %a, %out; st.global.u32 [%a], %r1; ret; })");
}

TEST_CASE("a quotient within a loop, before a barrier") {
  compare(start + R"(
  mad.lo.s32 %r6, %ty, %nx, %tx; mul.lo.s32 %r7, %nx, %ny; mov.u32 %r8, tile;
  mad.lo.s32 %r8, %r6, 4, %r8; mov.u32 %r4, 0; mov.u32 %j, 0;
loop:
  mad.lo.s32 %r0, %j, %r7, %r6; div.u32 %r1, %r0, %m; rem.u32 %r2, %r0, %m;
  setp.gt.u32 %q, %r1, 9; @%q bra put;
  mad.lo.s32 %r2, %r1, 50, %r2; mul.wide.u32 %a, %r2, 4; add.u64 %a, %a, %in;
  ld.global.u32 %r2, [%a]; mad.lo.s32 %r4, %r4, 3, %r2;
put:
  st.shared.u32 [%r8], %r4; bar.sync 0; ld.shared.u32 %r3, [tile]; add.s32 %r4, %r4, %r3;
  bar.sync 0; add.s32 %j, %j, 1; setp.lt.u32 %p, %j, 5; @%p bra loop;
  mul.wide.s32 %a, %i, 4; add.u64 %a, %a, %out; setp.gt.u32 %p, %i, 8000; @%p ret;
  st.global.u32 [%a], %r4; ret; })");
}

TEST_CASE("trip counts that are shifts, as of an unrolled loop over a row") {
  // in[i], in[i + 256], ... up to n: first what is left over, then four at a time.
  const std::string text = start + R"(
  setp.ge.s32 %p, %i, %n; mov.u32 %r4, 0; @%p bra done;
  not.b32 %r0, %i; add.s32 %r0, %r0, %n; shr.u32 %r0, %r0, 8; add.s32 %r1, %r0, 1;
  and.b32 %r1, %r1, 3; mov.u32 %j, %i; setp.eq.u32 %p, %r1, 0; @%p bra fours;
single:
  mul.wide.s32 %a, %j, 4; add.u64 %a, %a, %in; ld.global.u32 %r2, [%a];
  mad.lo.u32 %r4, %r4, 31, %r2; add.s32 %j, %j, 256; add.s32 %r1, %r1, -1;
  setp.ne.u32 %p, %r1, 0; @%p bra single;
fours:
  setp.lt.u32 %p, %r0, 3; @%p bra done;
loop:
  mul.wide.s32 %a, %j, 4; add.u64 %a, %a, %in; ld.global.u32 %r2, [%a];
  ld.global.u32 %r3, [%a+1024]; mad.lo.u32 %r4, %r4, 31, %r2; mad.lo.u32 %r4, %r4, 31, %r3;
  ld.global.u32 %r2, [%a+2048]; ld.global.u32 %r3, [%a+3072]; mad.lo.u32 %r4, %r4, 31, %r2;
  mad.lo.u32 %r4, %r4, 31, %r3; add.s32 %j, %j, 1024; setp.lt.s32 %q, %j, %n; @%q bra loop;
done:
  setp.ge.s32 %p, %i, 8192; @%p ret;
  mul.wide.s32 %a, %i, 4; add.u64 %a, %a, %out; st.global.u32 [%a], %r4; ret; })";
  compare(text);
  compare(text.substr(0, text.find("shr.u32")) + "shr.s32" + text.substr(text.find("shr.u32") + 7));
  const auto plan =
      pycuda::cpu::jit::describe_plan(pycuda::cpu::testing::module_of(text), "k", {256}, {});
  REQUIRE(plan);
  CHECK_MESSAGE(plan->find("uniform, leaves a loop") != std::string::npos, *plan);
}

TEST_CASE("trip counts of several loops over a row, with and without barriers between them") {
  // As compilers unroll it: first what is left over, then four at a time.
  const auto walk = [](const std::string& number, const std::string& step) {
    return R"(
  setp.ge.s32 %p, %tx, %n; @%p bra done)" +
           number + R"(;
  not.b32 %r0, %tx; add.s32 %r0, %r0, %n; shr.u32 %r0, %r0, 6; add.s32 %r1, %r0, 1;
  and.b32 %r1, %r1, 3; mov.u32 %j, %tx; setp.eq.u32 %p, %r1, 0; @%p bra fours)" +
           number + R"(;
single)" + number +
           R"(:
  mul.wide.s32 %a, %j, 4; add.u64 %a, %a, %in; ld.global.u32 %r2, [%a];)" +
           step + R"(
  add.s32 %j, %j, 64; add.s32 %r1, %r1, -1; setp.ne.u32 %p, %r1, 0; @%p bra single)" +
           number + R"(;
fours)" + number +
           R"(:
  setp.lt.u32 %p, %r0, 3; @%p bra done)" +
           number + R"(;
loop)" + number +
           R"(:
  mul.wide.s32 %a, %j, 4; add.u64 %a, %a, %in; ld.global.u32 %r2, [%a];)" +
           step + R"(
  ld.global.u32 %r2, [%a+256];)" +
           step + "ld.global.u32 %r2, [%a+512];" + step + R"(
  ld.global.u32 %r2, [%a+768];)" +
           step + R"(
  add.s32 %j, %j, 256; setp.lt.s32 %q, %j, %n; @%q bra loop)" +
           number + R"(;
done)" + number +
           ":";
  };
  const std::string meet = R"(
  mad.lo.s32 %r5, %ty, %nx, %tx; mov.u32 %r6, tile; mad.lo.s32 %r6, %r5, 4, %r6;
  st.shared.u32 [%r6], %r4; bar.sync 0; ld.shared.u32 %r5, [tile]; add.s32 %r4, %r4, %r5;
  bar.sync 0;)";
  for (const std::string& between : {meet, std::string()}) {
    const std::string text = start + "mov.u32 %r4, 0;" +
                             walk("A", "mad.lo.u32 %r4, %r4, 31, %r2;") + between +
                             walk("B", "xor.b32 %r2, %r2, %r4; max.u32 %r4, %r4, %r2;") + between +
                             walk("C", "mad.lo.u32 %r4, %r4, 5, %r2;") + R"(
  setp.ge.s32 %p, %i, 8192; @%p ret;
  mul.wide.s32 %a, %i, 4; add.u64 %a, %a, %out; st.global.u32 [%a], %r4; ret; })";
    compare(text);
    const auto plan =
        pycuda::cpu::jit::describe_plan(pycuda::cpu::testing::module_of(text), "k", {256}, {});
    REQUIRE(plan);
    // Two loops of each walk.
    const std::string wanted = "uniform, leaves a loop";
    unsigned found = 0;
    for (auto at = plan->find(wanted); at != std::string::npos; at = plan->find(wanted, at + 1))
      ++found;
    CHECK_MESSAGE(found == 6, *plan);
  }
}

TEST_CASE("a misaligned parameter behind a guard that gangs pass as a whole, or that none passes") {
  const std::string text = start + R"(
  setp.ge.s32 %p, %i, %n; @%p ret;
  mul.wide.s32 %a, %i, 4; add.u64 %b, %a, %in; add.u64 %a, %a, %out;
  ld.global.u32 %r2, [%b]; setp.lt.s32 %q, %i, %m; @%q ret; st.global.u32 [%a], %r2; ret; })";
  const std::vector<std::uint32_t> in(size);
  std::vector<std::uint32_t> out(size);
  const auto address = reinterpret_cast<std::uint64_t>(out.data());
  for (const unsigned lanes : {16u, 32u, 64u}) {
    LoadedModule module(text, gangs_of(lanes));
    const auto fault_of = [&](std::uint64_t to, std::uint32_t n, std::uint32_t m) {
      return module.fault_of("k", {4}, {256}, in.data(), to, n, m);
    };
    CHECK(!fault_of(address, 1000, 0));
    CHECK(!fault_of(address + 2, 0, 0));
    // Nobody stores, though all may.
    CHECK(!fault_of(address + 2, 1000, 1024));
    const auto fault = fault_of(address + 2, 1000, 300);
    REQUIRE(fault.has_value());
    CHECK_MESSAGE(fault->message.find("misaligned") != std::string::npos, fault->message);
    CHECK_MESSAGE(fault->message.find("(44, 0, 0)") != std::string::npos, fault->message);
  }
}
