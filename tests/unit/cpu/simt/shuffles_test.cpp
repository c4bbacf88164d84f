// SPDX-License-Identifier: MIT
// Shuffles in vectors: sources that are constants, computed from the lane's number, or anything.
#include <cstdint>
#include <string>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::jit::Options;
using pycuda::cpu::testing::LoadedModule;

namespace {

/// `shuffle` moves %r4 to %r5; the lane's number is in %r3, any number in %r6. Some lanes of a warp
/// take no part if `some`. Vectors and threads must agree.
void compare(const std::string& shuffle, bool some) {
  const std::string guard = some ? "setp.lt.u32 %p, %r6, 0x60000000; @%p bra done;" : "";
  // Later targets have no shuffles without .sync.
  const std::string text = R"(.version 8.8
.target sm_61
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b64 %in, %out, %a; .reg .b32 %i, %r<12>; .reg .pred %p, %q;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %i, %r0, %r1, %r2;
  mov.u32 %r3, %laneid; mul.wide.s32 %a, %i, 4; add.u64 %in, %a, %in; add.u64 %out, %a, %out;
  ld.global.u32 %r4, [%in]; mul.lo.u32 %r6, %r4, 2654435761; shr.u32 %r8, %r6, 9;
  )" + guard + shuffle +
                           R"(
  selp.b32 %r7, 1, 0, %q; mad.lo.u32 %r5, %r5, 2, %r7; st.global.u32 [%out], %r5;
done: ret; })";
  Options options;
  options.vectors = true;
  LoadedModule module(text, options);
  CHECK(module.kernel("k").facts.gang_lanes == 32);
  std::vector<std::uint32_t> in(256), expected(256, 9), out(256, 9);
  for (std::uint32_t i = 0; i < 256; ++i) in[i] = i * 7 + 1;
  module.thread_by_thread = true;
  module.run("k", Dim3{2}, Dim3{128}, in.data(), expected.data());
  module.thread_by_thread = false;
  module.run("k", Dim3{2}, Dim3{128}, in.data(), out.data());
  CAPTURE(shuffle);
  CHECK(out == expected);
  // Something has moved: the test is one of shuffles.
  std::vector<std::uint32_t> unmoved(256);
  for (std::uint32_t i = 0; i < 256; ++i) unmoved[i] = in[i] * 2 + 1;
  CHECK(expected != unmoved);
}

}  // namespace

TEST_CASE("shuffles from lanes that are known, computed from the lane, or any") {
  for (const char* source : {
           "mov.u32 %r9, 5;",
           "and.b32 %r9, %r3, 3; shl.b32 %r9, %r9, 3; add.u32 %r9, %r9, 6;",
           "mul.lo.u32 %r9, %r3, 5; add.u32 %r9, %r9, 3; and.b32 %r9, %r9, 31;",
           "mul.lo.u32 %r9, %r3, 11;",
           "and.b32 %r9, %r8, 31;",
       }) {
    for (const char* mode : {"idx", "down", "up", "bfly"}) {
      const std::string clamp = std::string(mode) == "up" ? "0" : "31";
      for (const std::string& segment : {clamp, std::string(clamp == "0" ? "0x1800" : "0x181f")}) {
        const std::string shuffle = std::string(source) + "shfl.sync." + mode +
                                    ".b32 %r5|%q, %r4, %r9, " + segment + ", 0xffffffff;";
        compare(shuffle, false);
        // The lanes that stand there.
        compare(std::string(source) + "shfl." + mode + ".b32 %r5|%q, %r4, %r9, " + segment + ";",
                true);
      }
    }
  }
}
