// SPDX-License-Identifier: MIT
// Accesses of lanes that are known when the kernel is compiled.
#include <cstdint>
#include <string>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::testing::LoadedModule;

namespace {

/// Thread %r1 of 256 has the lane %r2 and the warp %r3, and %r4, a number of its own. In the end it
/// stores %r5, and what its warp has in `sums`.
std::string kernel(const std::string& body) {
  return R"(
.visible .entry k(.param .u64 out, .param .u64 in) {
  .reg .b64 %rd<9>; .reg .b32 %r<16>; .reg .pred %p<4>; .shared .align 4 .b8 sums[4096];
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in];
  mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; shr.u32 %r3, %r1, 5;
  mul.wide.u32 %rd3, %r1, 8; add.u64 %rd3, %rd1, %rd3; mul.wide.u32 %rd4, %r1, 4;
  add.u64 %rd4, %rd2, %rd4; ld.global.u32 %r4, [%rd4]; mov.u32 %r5, %r4;
  mov.u32 %r6, sums; shl.b32 %r7, %r1, 2; add.u32 %r7, %r7, %r6; st.shared.u32 [%r7], 0;
  bar.sync 0; shfl.sync.up.b32 %r8|%p1, %r4, 1, 0, -1; add.u32 %r4, %r4, %r8;
  and.b32 %r9, %r4, 1020; add.u32 %r9, %r9, %r6; shl.b32 %r10, %r3, 2; add.u32 %r10, %r10, %r6;)" +
         body + R"(
  bar.sync 0; ld.shared.u32 %r11, [%r7]; st.global.v2.u32 [%rd3], {%r5, %r11}; ret; })";
}

void check(const std::string& body) {
  LoadedModule module(kernel(body));
  std::vector<std::uint32_t> in(256), found(512, 7), expected(512, 7);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u >> 7;
  module.run("k", {1}, {256}, found.data(), in.data());
  module.thread_by_thread = true;
  module.run("k", {1}, {256}, expected.data(), in.data());
  CHECK_MESSAGE(found == expected, body);
}

}  // namespace

TEST_CASE("one lane of each warp, the first, the last or another, stores and loads") {
  for (const char* lane : {"0", "31", "17"}) {
    const std::string only = std::string("setp.ne.u32 %p1, %r2, ") + lane + "; @%p1 bra PAST;";
    check(only + "st.shared.u32 [%r10], %r4; PAST:");
    check(only + "ld.shared.u32 %r5, [%r9]; add.u32 %r5, %r5, 1; PAST:");
  }
}

TEST_CASE("a few lanes of each warp: the last of those that store to one place wins") {
  const std::string few = "setp.lt.u32 %p1, %r2, 29; @%p1 bra PAST;";
  check(few + "st.shared.u32 [%r10], %r4; PAST:");
  check(few +
        "and.b32 %r9, %r4, 4; shl.b32 %r12, %r3, 5; add.u32 %r9, %r9, %r12;"
        "add.u32 %r9, %r9, %r6; st.shared.u32 [%r9], %r2; PAST:");
  check(few +
        "add.u32 %r9, %r3, 40; shl.b32 %r9, %r9, 2; add.u32 %r9, %r9, %r6;"
        "ld.shared.u32 %r5, [%r9]; PAST:");
}

TEST_CASE("many lanes, and no lanes") {
  check(
      "and.b32 %r12, %r2, 1; setp.eq.u32 %p1, %r12, 0; @%p1 bra PAST;"
      "ld.shared.u32 %r5, [%r9]; PAST:");
  check("setp.lt.u32 %p1, %r2, 32; @%p1 bra PAST; st.shared.u32 [%r9], %r4; PAST:");
}
