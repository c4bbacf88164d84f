// SPDX-License-Identifier: MIT
// Accesses whose indexes may wrap on their way to 64 bits, structures of bytes, words that threads
// claim, and turns in loops beside barriers: always the scalar results.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::KernelFacts;
using pycuda::cpu::testing::gangs_of;
using pycuda::cpu::testing::LoadedModule;

namespace {

constexpr std::uint32_t words = 1 << 16;

/// Runs `.entry k(u64 in, u64 out, u32 n, u32 m)` on both paths; the arrays begin in the middle of
/// what they may touch.
KernelFacts compare(const std::string& text, const std::vector<std::uint32_t>& offsets = {0}) {
  std::vector<std::uint32_t> in(2 * words);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u ^ (i << 9);
  KernelFacts facts;
  for (const unsigned lanes : {16u, 32u, 64u}) {
    LoadedModule module(text, gangs_of(lanes));
    facts = module.kernel("k").facts;
    CHECK_MESSAGE(facts.gang_lanes == lanes, facts.scalar_reason);
    for (const auto& [grid, block] : {std::pair{Dim3{8}, Dim3{256}}, std::pair{Dim3{9}, Dim3{72}},
                                      std::pair{Dim3{3}, Dim3{250}}, std::pair{Dim3{2}, Dim3{1000}},
                                      std::pair{Dim3{2, 2}, Dim3{16, 16}}}) {
      for (const std::uint32_t n : {0u, 1u, 33u, 1000u, 2048u}) {
        for (const std::uint32_t m : offsets) {
          std::vector<std::uint32_t> expected(2 * words, 5), out(2 * words, 5);
          module.thread_by_thread = true;
          module.run("k", grid, block, in.data() + words, expected.data() + words, n, m);
          module.thread_by_thread = false;
          module.run("k", grid, block, in.data() + words, out.data() + words, n, m);
          const bool same = out == expected;
          CHECK_MESSAGE(same, lanes << " lanes, block " << block.x << " x " << block.y << ", n "
                                    << n << ", m " << m);
          if (!same) return facts;
        }
      }
    }
  }
  return facts;
}

const std::string start = R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 m) {
  .reg .b64 %in, %out, %a, %b, %c; .reg .b32 %n, %m, %tx, %ty, %nx, %ny, %i, %j, %x, %y, %r<9>;
  .reg .b16 %h<9>; .reg .pred %p, %q;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n]; ld.param.u32 %m, [m];
  mov.u32 %tx, %tid.x; mov.u32 %ty, %tid.y; mov.u32 %nx, %ntid.x; mov.u32 %ny, %ntid.y;
  mov.u32 %r0, %ctaid.x; mad.lo.s32 %x, %r0, %nx, %tx;
  mov.u32 %r0, %ctaid.y; mad.lo.s32 %y, %r0, %ny, %ty;
  mov.u32 %r1, %nctaid.x; mul.lo.s32 %r1, %r1, %nx; mad.lo.s32 %i, %y, %r1, %x;
)";

}  // namespace

TEST_CASE("indexes that may wrap, and some that do") {
  // m is added before the extension and taken away after it: words lie where they always do, but
  // for lanes beyond the wrap.
  const std::vector<std::uint32_t> offsets{0,          100,        0x7fffffffu - 20,
                                           0x80000000, 0xfffffff0, 0x7ffffc00};
  for (const char* extension : {"cvt.s64.s32", "cvt.u64.u32"}) {
    const std::string extend = extension;
    compare(start + R"(
  setp.ge.s32 %p, %i, %n; @%p ret;
  add.u32 %j, %i, %m; )" +
                extend + R"( %a, %j; )" + extend +
                R"( %b, %m; sub.s64 %a, %a, %b; and.b64 %a, %a, 8191; shl.b64 %a, %a, 2;
  add.s64 %b, %a, %in; add.s64 %c, %a, %out;
  ld.global.u32 %r2, [%b]; ld.global.u32 %r3, [%b+4]; add.u32 %r2, %r2, %r3;
  st.global.u32 [%c], %r2; ret; })",
            offsets);
    compare(start + R"(
  setp.ge.s32 %p, %i, %n; @%p ret;
  add.u32 %j, %i, %m; )" +
                extend + R"( %a, %j; )" + extend +
                R"( %b, %m; sub.s64 %a, %a, %b;
  setp.gt.s64 %p, %a, 16000; @%p ret; setp.lt.s64 %p, %a, -16000; @%p ret; shl.b64 %a, %a, 2;
  add.s64 %b, %a, %in; add.s64 %c, %a, %out;
  ld.global.u32 %r2, [%b]; ld.global.u32 %r3, [%b+4]; add.u32 %r2, %r2, %r3;
  st.global.u32 [%c], %r2; ret; })",
            offsets);
  }
}

TEST_CASE("indexes extended in one block and used in others") {
  compare(start + R"(
  mul.lo.s32 %j, %y, %m; add.s32 %j, %j, %x; cvt.s64.s32 %a, %j; shl.b64 %b, %a, 2;
  add.s64 %b, %b, %in; setp.ge.s32 %p, %i, %n; @%p ret; mov.u32 %r4, 0; mov.u32 %r5, 0;
loop:
  ld.global.u32 %r2, [%b]; mad.lo.s32 %r4, %r4, 5, %r2; add.s64 %b, %b, 128; add.u32 %r5, %r5, 1;
  and.b32 %r6, %r2, 7; setp.lt.u32 %q, %r5, %r6; @%q bra loop;
  mad.lo.s32 %j, %y, %r1, %x; mul.wide.s32 %c, %j, 4; add.s64 %c, %c, %out;
  st.global.u32 [%c], %r4; ret; })",
          {33, 64});
}

TEST_CASE("addresses at a constant distance, with the sum computed in another block") {
  // What the constant is added to is used in that block alone.
  compare(start + R"(
  .shared .align 16 .b8 before[8192]; .shared .align 4 .b8 sums[64];
  mov.u32 %r0, %ctaid.x; and.b32 %j, %r0, 15; shl.b32 %j, %j, 2; mov.u32 %r2, sums;
  add.u32 %j, %j, %r2; mad.lo.u32 %r3, %ty, %nx, %tx; setp.lt.u32 %p, %r3, 16;
  shl.b32 %r4, %r3, 2; add.u32 %r4, %r4, %r2; @%p st.shared.u32 [%r4], %r3; bar.sync 0;
  setp.lt.u32 %q, %i, %n; @%q red.shared.add.u32 [%j], %i; bar.sync 0;
  and.b32 %r5, %r3, 15; shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, %r2; ld.shared.u32 %r6, [%r5];
  mul.wide.u32 %c, %i, 4; add.s64 %c, %c, %out; st.global.u32 [%c], %r6; ret; })");
}

TEST_CASE("structures of bytes and of words, at indexes that may wrap") {
  compare(start + R"(
  setp.ge.s32 %p, %i, %n; @%p ret; mul.lo.s32 %j, %i, 3; cvt.s64.s32 %a, %j; add.s64 %b, %a, %in;
  ld.global.u8 %h1, [%b]; ld.global.u8 %h2, [%b+1]; ld.global.u8 %h3, [%b+2];
  mul.lo.u16 %h1, %h1, 77; mul.lo.u16 %h2, %h2, 150; mul.lo.u16 %h3, %h3, 29;
  add.u16 %h1, %h1, %h2; add.u16 %h1, %h1, %h3; shr.u16 %h1, %h1, 8;
  cvt.s64.s32 %a, %i; add.s64 %a, %a, %out; st.global.u8 [%a], %h1; ret; })");
  compare(start + R"(
  setp.ge.s32 %p, %i, %n; @%p ret; mul.lo.s32 %j, %i, 3; mul.wide.s32 %a, %j, 4;
  add.s64 %b, %a, %in; add.s64 %c, %a, %out;
  ld.global.u32 %r2, [%b]; ld.global.u32 %r3, [%b+4]; ld.global.u32 %r4, [%b+8];
  xor.b32 %r5, %r2, %r3; add.u32 %r6, %r3, %r4; sub.u32 %r7, %r4, %r2;
  st.global.u32 [%c+4], %r5; st.global.u32 [%c], %r6; st.global.u32 [%c+8], %r7; ret; })");
  // The product wraps in the midst of a gang.
  compare(start + R"(
  setp.ge.s32 %p, %i, %n; @%p ret; add.u32 %r8, %i, %m; mul.lo.s32 %j, %r8, 3; cvt.s64.s32 %a, %j;
  mul.lo.s32 %r7, %m, 3; cvt.s64.s32 %b, %r7; sub.s64 %a, %a, %b;
  setp.gt.s64 %p, %a, 16000; @%p ret; setp.lt.s64 %p, %a, -16000; @%p ret;
  add.s64 %b, %a, %in; ld.global.u8 %h1, [%b]; ld.global.u8 %h2, [%b+1]; ld.global.u8 %h3, [%b+2];
  add.u16 %h1, %h1, %h2; xor.b16 %h1, %h1, %h3; add.s64 %c, %a, %out;
  st.global.u8 [%c], %h1; st.global.u8 [%c+1], %h2; st.global.u8 [%c+2], %h3; ret; })",
          {0, 715827882 - 20, 0x7fffffff});
}

TEST_CASE("bytes and halves from any addresses") {
  compare(start + R"(
  mul.wide.u32 %a, %i, 4; add.s64 %b, %a, %in; add.s64 %c, %a, %out; setp.ge.s32 %p, %i, %n; @%p ret;
  ld.global.u32 %r2, [%b]; and.b32 %r3, %r2, 8191; cvt.u64.u32 %a, %r3; add.s64 %b, %a, %in;
  ld.global.u8 %h1, [%b]; ld.global.s8 %h2, [%b+1]; and.b32 %r3, %r2, 8190; cvt.u64.u32 %a, %r3;
  add.s64 %b, %a, %in; ld.global.u16 %h3, [%b]; ld.global.u16 %h4, [%b+2];
  cvt.u32.u16 %r3, %h1; cvt.s32.s16 %r4, %h2; mad.lo.s32 %r3, %r3, 7, %r4; cvt.u32.u16 %r4, %h3;
  mad.lo.s32 %r3, %r3, 7, %r4; cvt.u32.u16 %r4, %h4; mad.lo.s32 %r3, %r3, 7, %r4;
  st.global.u32 [%c], %r3; ret; })");
}

TEST_CASE("sums and products of bytes, in as many bits as they need and more") {
  compare(start + R"(
  .reg .b32 %s<9>; .reg .b64 %w<4>;
  setp.ge.s32 %p, %i, %n; @%p ret; cvt.s64.s32 %a, %i; add.s64 %b, %a, %in;
  ld.global.u8 %h1, [%b]; ld.global.u8 %h2, [%b+1]; ld.global.u8 %h3, [%b+2];
  cvt.u32.u16 %s1, %h1; cvt.u32.u16 %s2, %h2; cvt.u32.u16 %s3, %h3;
  add.u32 %s4, %s1, %s2; add.u32 %s4, %s4, %s3; add.u32 %s4, %s4, %m;
  mul.wide.u32 %w1, %s4, 954437177; shr.u64 %w1, %w1, 33; cvt.u32.u64 %s5, %w1;
  mul.lo.u32 %s6, %s1, %s2; mul.lo.u32 %s6, %s6, %s3; mul.lo.u32 %s7, %s6, 257;
  mad.lo.u32 %s7, %s7, 65537, %s5; mad.lo.u32 %s7, %s2, 200, %s7; add.u32 %s8, %s2, -7;
  xor.b32 %s7, %s7, %s8; mul.wide.u32 %w2, %s6, %s4; cvt.u32.u64 %s5, %w2; add.u32 %s7, %s7, %s5;
  shl.b64 %a, %a, 2; add.s64 %a, %a, %out; st.global.u32 [%a], %s7; ret; })",
          {0, 65000, 0xfffffff0});
}

TEST_CASE("tables of two rows, of which each thread reads one") {
  const std::string table =
      ".global .align 16 .b8 table[24] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, "
      "17, 18, 19, 20, 21, 22, 23, 24};\n";
  compare(table + start + R"(
  .reg .b64 %t; mov.u64 %t, table;
  setp.ge.s32 %p, %i, %n; @%p ret; mul.wide.s32 %a, %i, 4; add.s64 %b, %a, %in;
  ld.global.u32 %r2, [%b]; and.b32 %r3, %r2, 1; mul.wide.u32 %c, %r3, 8; add.s64 %c, %c, %t;
  ld.global.nc.u32 %r4, [%c]; ld.global.nc.u32 %r5, [%c+4]; ld.global.nc.u32 %r6, [%c+12];
  mad.lo.s32 %r4, %r4, 3, %r5; mad.lo.s32 %r4, %r4, 5, %r6; add.s64 %a, %a, %out;
  st.global.u32 [%a], %r4; ret; })");
}

TEST_CASE("walks of different lengths are left to threads, unless gangs are asked for") {
  const auto kernel = [](const std::string& body) { return start + body; };
  const std::string row = kernel(R"(
  setp.ge.s32 %p, %i, %n; @%p ret; mul.wide.s32 %a, %i, 4; add.s64 %b, %a, %in;
  ld.global.u32 %r2, [%b]; and.b32 %r2, %r2, 1023; mov.u32 %r4, 0; and.b32 %r3, %r2, 31;
  mul.wide.u32 %c, %r2, 4; add.s64 %b, %c, %in; setp.eq.s32 %p, %r3, 0; @%p bra done;
loop: ld.global.u32 %r5, [%b]; and.b32 %r6, %r5, 4095; mul.wide.u32 %c, %r6, 4; add.s64 %c, %c, %in;
  ld.global.u32 %r7, [%c]; ld.global.u32 %r8, [%b+2048]; mad.lo.s32 %r4, %r7, %r8, %r4;
  add.s64 %b, %b, 4; add.s32 %r3, %r3, -1; setp.ne.s32 %p, %r3, 0; @%p bra loop;
done: add.s64 %a, %a, %out; st.global.u32 [%a], %r4; ret; })");
  const std::string compute = kernel(R"(
  setp.ge.s32 %p, %i, %n; @%p ret; mul.wide.s32 %a, %i, 4; add.s64 %b, %a, %in;
  ld.global.u32 %r2, [%b]; and.b32 %r3, %r2, 31; mov.u32 %r4, %r2;
loop: mad.lo.s32 %r4, %r4, %r2, 7; shr.u32 %r5, %r4, 3; xor.b32 %r4, %r4, %r5;
  add.s32 %r3, %r3, -1; setp.gt.s32 %p, %r3, 0; @%p bra loop;
  add.s64 %a, %a, %out; st.global.u32 [%a], %r4; ret; })");
  CHECK(LoadedModule(row).kernel("k").facts.gang_lanes == 0);
  CHECK(LoadedModule(row).kernel("k").facts.scalar_reason.find("walk") != std::string::npos);
  CHECK(LoadedModule(compute).kernel("k").facts.gang_lanes != 0);
  compare(row);
}

TEST_CASE("a parameter that is not aligned faults where a thread uses it, and only there") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out, .param .u64 spare, .param .u32 n) {
  .reg .b64 %rd<5>; .reg .b32 %r<9>; .reg .pred %p;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [spare]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %tid.z; mov.u32 %r5, %ntid.x; mov.u32 %r6, %ntid.y;
  mad.lo.u32 %r7, %r4, %r6, %r3; mad.lo.u32 %r7, %r7, %r5, %r2; setp.ge.u32 %p, %r7, %r1; @%p ret;
  mul.wide.u32 %rd3, %r7, 4; add.u64 %rd3, %rd3, %rd1; st.global.u32 [%rd3], %r7;
  setp.ne.u32 %p, %r7, 37; @%p ret;
  ld.global.u32 %r8, [%rd2]; st.global.u32 [%rd3], %r8; ret;
})",
                      pycuda::cpu::testing::vectors(false));
  constexpr std::uint32_t count = 128;
  std::vector<std::uint32_t> out(count), expected(count);
  std::iota(expected.begin(), expected.end(), 0u);
  const std::uint64_t spare[2] = {12345, 0};
  const auto address = reinterpret_cast<std::uint64_t>(spare);
  const auto fault_of = [&](std::uint64_t place, std::uint32_t n) {
    return module.fault_of("k", {1}, {8, 8, 2}, out.data(), place, n);
  };
  CHECK_FALSE(fault_of(address + 1, 37).has_value());
  CHECK(std::equal(out.begin(), out.begin() + 37, expected.begin()));
  CHECK_FALSE(fault_of(address, count).has_value());
  expected[37] = 12345;
  CHECK(out == expected);
  const auto fault = fault_of(address + 1, count);
  REQUIRE(fault.has_value());
  CHECK_MESSAGE(fault->message.find("(5, 4, 0)") != std::string::npos, fault->message);
  CHECK_MESSAGE(fault->message.find("misaligned") != std::string::npos, fault->message);
}

TEST_CASE("a loop over the grid between barriers: gangs at a barrier wait for those that pause") {
  const KernelFacts facts = compare(start + R"(
  .shared .align 4 .b8 bins[1024]; mov.u32 %r8, bins;
  mad.lo.s32 %r6, %ty, %nx, %tx; mov.u32 %j, %r6; mul.lo.s32 %r7, %nx, %ny;
zero: setp.ge.u32 %p, %j, 256; @%p bra zeroed; mad.lo.s32 %r2, %j, 4, %r8; mov.u32 %r3, 0;
  st.shared.u32 [%r2], %r3; add.u32 %j, %j, %r7; bra zero;
zeroed:
  bar.sync 0; mul.lo.s32 %r5, %r1, %ny; mov.u32 %r4, %nctaid.y; mul.lo.s32 %r5, %r5, %r4;
  mov.u32 %j, %i; setp.ge.s32 %p, %j, %n; @%p bra counted;
loop:
  cvt.s64.s32 %a, %j; add.s64 %a, %a, %in; ld.global.u8 %h1, [%a]; mul.wide.u16 %r2, %h1, 4;
  add.s32 %r2, %r2, %r8; atom.shared.add.u32 %r3, [%r2], 1; atom.shared.add.u32 %r3, [%r2], %j;
  add.s32 %j, %j, %r1; setp.lt.s32 %p, %j, %n; @%p bra loop;
counted:
  bar.sync 0; and.b32 %r2, %r6, 255; mad.lo.s32 %r2, %r2, 4, %r8; ld.shared.u32 %r3, [%r2];
  xor.b32 %r2, %r6, 37; and.b32 %r2, %r2, 255; mad.lo.s32 %r2, %r2, 4, %r8;
  ld.shared.u32 %r4, [%r2]; mad.lo.s32 %r3, %r3, 65536, %r4;
  mul.wide.u32 %a, %i, 4; add.s64 %a, %a, %out; st.global.u32 [%a], %r3; ret; })");
  CHECK(facts.strides_over_grid);
}

TEST_CASE("updates of shared memory whose results are used") {
  // Each warp has words of its own, since the order of warps may be any.
  compare(start + R"(
  .shared .align 4 .b8 bins[512]; mov.u32 %r8, bins; mad.lo.s32 %r6, %ty, %nx, %tx;
  mov.u32 %r3, 0; mov.u32 %j, %r6; mul.lo.s32 %r7, %nx, %ny;
zero: setp.ge.u32 %p, %j, 128; @%p bra zeroed; mad.lo.s32 %r2, %j, 4, %r8;
  st.shared.u32 [%r2], %r3; add.u32 %j, %j, %r7; bra zero;
zeroed:
  bar.sync 0; mul.wide.u32 %a, %i, 4; add.s64 %b, %a, %in; add.s64 %c, %a, %out;
  ld.global.u32 %r2, [%b]; and.b32 %r3, %r2, 4; shr.u32 %r4, %r6, 5; mad.lo.s32 %r3, %r4, 8, %r3;
  add.s32 %r3, %r3, %r8; atom.shared.add.u32 %r4, [%r3], %r2;
  setp.ge.s32 %p, %r6, %n; @%p bra done; atom.shared.xor.b32 %r5, [%r3+256], %r2;
  mad.lo.s32 %r4, %r4, 3, %r5;
done: st.global.u32 [%c], %r4; ret; })");
}

TEST_CASE("exchanges where some, all or none of the lanes find what they ask for") {
  // Thread i asks word 5 * i % 512 for 1 or 2 and gives it i, and tells what it found.
  const std::string word = R"(
  setp.ge.s32 %p, %i, %n; @%p ret; mul.lo.s32 %r2, %i, 5; and.b32 %r2, %r2, 511;
  mul.wide.u32 %a, %r2, 4; add.s64 %a, %a, %in; and.b32 %r3, %i, 1; add.s32 %r3, %r3, 1;
  atom.global.cas.b32 %r4, [%a], %r3, %i; mul.wide.u32 %b, %i, 4; add.s64 %b, %b, %out;
  st.global.u32 [%b], %r4; ret; })";
  const std::string pair = R"(
  setp.ge.s32 %p, %i, %n; @%p ret; mul.lo.s32 %r2, %i, 5; and.b32 %r2, %r2, 255;
  mul.wide.u32 %a, %r2, 8; add.s64 %a, %a, %in; mov.b64 %b, {1, 2}; mov.b64 %c, {%i, 3};
  atom.global.cas.b64 %b, [%a], %b, %c; mul.wide.u32 %c, %i, 4; add.s64 %c, %c, %out;
  cvt.u32.u64 %r4, %b; st.global.u32 [%c], %r4; ret; })";
  for (const unsigned lanes : {16u, 32u, 64u}) {
    for (const std::string& text : {word, pair}) {
      LoadedModule module(start + text, gangs_of(lanes));
      CHECK(module.kernel("k").facts.gang_lanes == lanes);
      for (const std::uint32_t values : {1u, 2u, 3u, 7u}) {
        std::vector<std::uint32_t> cells(512), out(512, 9);
        for (std::uint32_t i = 0; i < cells.size(); ++i) cells[i] = 1 + i * i % values;
        if (values == 2)
          for (std::uint32_t i = 0; i < cells.size(); ++i) cells[i] = 1 + i % 2;
        std::vector<std::uint32_t> other_cells = cells, other_out = out;
        module.thread_by_thread = false;
        module.run("k", {4}, {64}, cells.data(), out.data(), 250u, 0u);
        module.thread_by_thread = true;
        module.run("k", {4}, {64}, other_cells.data(), other_out.data(), 250u, 0u);
        CHECK(cells == other_cells);
        CHECK(out == other_out);
      }
    }
  }
}

TEST_CASE("threads that only claim words do so in gangs") {
  const std::string insert = R"(
  mov.u32 %r8, 0; setp.ge.s32 %p, %i, %n; @%p ret; mul.wide.s32 %a, %i, 4; add.s64 %a, %a, %in;
  ld.global.u32 %r2, [%a]; mul.lo.s32 %r3, %r2, 2654435761; )";
  const std::string probe = R"(
loop: and.b32 %r4, %r3, %m; mul.wide.u32 %a, %r4, 4; add.s64 %a, %a, %out;
  atom.global.cas.b32 %r5, [%a], 0, %r2; setp.ne.s32 %p, %r5, 0; setp.ne.s32 %q, %r5, %r2;
  add.s32 %r3, %r4, 1; and.pred %p, %p, %q; @%p bra loop; )";
  std::vector<std::uint32_t> keys(1900), sorted(2048);
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = (i % 1500) * 7 + 1;
  std::copy_n(keys.begin(), 1500, sorted.end() - 1500);
  for (const unsigned lanes : {16u, 32u, 64u}) {
    LoadedModule module(start + insert + probe + "ret; }", gangs_of(lanes));
    CHECK(module.kernel("k").facts.gang_lanes == lanes);
    CHECK(!module.kernel("k").facts.suspends);
    for (const bool thread_by_thread : {false, true}) {
      module.thread_by_thread = thread_by_thread;
      std::vector<std::uint32_t> table(2048);
      module.run("k", {8}, {250}, keys.data(), table.data(), 1900u, 2047u);
      std::sort(table.begin(), table.end());
      CHECK(table == sorted);
    }
  }
  // Another one may wait for what a thread writes behind its loop.
  LoadedModule waits(start + insert + probe + "st.global.u32 [%a], %r8; ret; }");
  CHECK(waits.kernel("k").facts.gang_lanes == 0);
  CHECK(waits.kernel("k").facts.suspends);
  std::vector<std::uint32_t> table(64), none(64);
  waits.run("k", {8}, {250}, keys.data(), table.data(), 1900u, 63u);
  CHECK(table == none);
}
