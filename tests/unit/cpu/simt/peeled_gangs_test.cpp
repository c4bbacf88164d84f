// SPDX-License-Identifier: MIT
// Trees over the threads of a block, whose first gangs constants tell from the rest.
#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cpu/kernel_abi/frames.h"
#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::testing::LoadedModule;

namespace {

/// Each row of threads has 4096 bytes, from %r10 on; a thread's own word is at %r5, and 2048
/// further.
const std::string start = R"(
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {
  .reg .b64 %a<5>; .reg .b32 %r<16>; .reg .f32 %f<9>; .reg .pred %p<4>;
  .shared .align 4 .b8 s[16384];
  ld.param.u64 %a1, [out]; ld.param.u64 %a2, [in]; ld.param.u32 %r9, [n];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r11, %tid.y;
  mov.u32 %r12, %tid.z; mad.lo.s32 %r11, %r12, 2, %r11; mov.u32 %r10, s;
  mad.lo.s32 %r10, %r11, 4096, %r10; mad.lo.s32 %r5, %r1, 4, %r10;
  mad.lo.s32 %r4, %r2, %r3, %r1; mov.f32 %f1, 0f00000000; mov.u32 %r13, %r1;
CLEAR:
  mad.lo.s32 %r14, %r13, 4, %r10; st.shared.f32 [%r14], %f1; add.s32 %r13, %r13, %r3;
  setp.lt.s32 %p1, %r13, 1024; @%p1 bra CLEAR;
  bar.sync 0;
  setp.ge.s32 %p1, %r4, %r9; @%p1 bra PUT;
  mul.wide.s32 %a3, %r4, 4; add.s64 %a3, %a3, %a2; ld.global.f32 %f1, [%a3];
PUT:
  st.shared.f32 [%r5], %f1; st.shared.f32 [%r5+2048], %f1; bar.sync 0;
)";

/// The first `threads` threads add what lies as many further on.
std::string step(unsigned threads, const std::string& more = "") {
  const std::string past = "P" + std::to_string(threads);
  return "setp.gt.s32 %p2, %r1, " + std::to_string(threads - 1) + "; @%p2 bra " + past +
         "; ld.shared.f32 %f2, [%r5]; ld.shared.f32 %f3, [%r5+" + std::to_string(threads * 4) +
         "]; add.f32 %f2, %f3, %f2; " + more + " st.shared.f32 [%r5], %f2;\n" + past +
         ": bar.sync 0;\n";
}

/// All threads store what is in their place at the end.
const std::string end = R"(
  ld.shared.f32 %f4, [%r5]; mul.wide.s32 %a4, %r4, 4; add.s64 %a4, %a4, %a1;
  st.global.f32 [%a4], %f4; ret; })";

/// Bit by bit as thread by thread, for blocks of whole gangs and others, of one row and of several.
void compare(const std::string& text) {
  LoadedModule module(text);
  std::vector<float> in(3000);
  for (std::uint32_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<float>(i * 2654435761u >> 12);
    if (i % 701 == 5) in[i] = std::bit_cast<float>(0xff812345u);  // a NaN with a payload
    if (i % 501 == 6) in[i] = std::numeric_limits<float>::infinity();
  }
  for (const Dim3 block :
       {Dim3{256}, {128}, {512}, {96}, {250}, {160}, {128, 2}, {64, 2, 2}, {32}}) {
    std::vector<float> found(3000, 7), expected(3000, 7);
    const Dim3 grid{std::uint32_t{2900} / block.x};
    module.thread_by_thread = false;
    module.run("k", grid, block, found.data(), in.data(), 2800u);
    module.thread_by_thread = true;
    module.run("k", grid, block, expected.data(), in.data(), 2800u);
    for (std::size_t i = 0; i < found.size(); ++i) {
      REQUIRE_MESSAGE(
          std::bit_cast<std::uint32_t>(found[i]) == std::bit_cast<std::uint32_t>(expected[i]),
          "block " << block.x << " x " << block.y << ", thread " << i);
    }
  }
}

}  // namespace

TEST_CASE("a tree of sums whose steps are constants, with NaNs and infinities") {
  std::string text = start;
  for (unsigned threads = 128; threads != 0; threads /= 2) text += step(threads);
  compare(text + end);
}

TEST_CASE("steps between which lanes store apart, and to memory that may be the same") {
  std::string text = start;
  text += step(64, "and.b32 %r6, %r1, 3; setp.ne.s32 %p3, %r6, 1; @%p3 add.f32 %f2, %f2, %f1;");
  text += step(16, "st.shared.f32 [%r5+2048], %f3;");
  text += step(32, "mul.wide.s32 %a4, %r4, 4; add.s64 %a4, %a4, %a1; st.global.f32 [%a4], %f3;");
  text += step(8,
               "mov.b32 %r6, %f1; and.b32 %r6, %r6, 1020; add.s32 %r6, %r6, %r10;"
               "st.shared.f32 [%r6+1024], %f3;");
  text += step(4);
  compare(text + end);
}

TEST_CASE("one thread of each warp stores what the first threads load together") {
  std::string text = start;
  text += R"(
  and.b32 %r6, %r1, 31; setp.ne.s32 %p3, %r6, 3; @%p3 bra MET;
  shr.u32 %r7, %r1, 5; mad.lo.s32 %r8, %r7, 4, %r10; st.shared.f32 [%r8+2048], %f1;
MET: bar.sync 0; setp.gt.s32 %p2, %r1, 7; @%p2 bra LATE;
  ld.shared.f32 %f2, [%r5+2048]; add.f32 %f2, %f2, %f1; st.shared.f32 [%r5], %f2;
LATE: bar.sync 0;
)";
  compare(text + step(4) + step(2) + step(1) + end);
}
