// SPDX-License-Identifier: MIT
// Which sums of threadIdx say how wide a kernel's blocks are.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::testing::LoadedModule;

namespace {

/// Of a kernel that computes %i from %tx, %ty and %bx and reads that element.
std::uint32_t width_said_by(const std::string& index, const std::string& use = {}) {
  LoadedModule module(R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b64 %in, %out, %a; .reg .b32 %tx, %ty, %bx, %i, %s, %v; .reg .pred %p;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
  mov.u32 %tx, %tid.x; mov.u32 %ty, %tid.y; mov.u32 %bx, %ctaid.x;
)" + index + R"(
  mul.wide.u32 %a, %i, 4; add.u64 %in, %in, %a; add.u64 %out, %out, %a;
  ld.global.u32 %v, [%in];
  shfl.sync.bfly.b32 %v, %v, 1, 31, -1;
)" + use + R"(
  st.global.u32 [%out], %v;
  ret;
})");
  return module.kernel("k").facts.line_width;
}

}  // namespace

TEST_CASE("a thread's number that counts tid.y by a number says how wide blocks are") {
  const std::string thread = "mad.lo.u32 %i, %ty, 16, %tx;";
  CHECK(width_said_by(thread + "mad.lo.u32 %i, %bx, 256, %i;") == 16);
  CHECK(width_said_by(thread, "setp.lt.u32 %p, %i, 32; @!%p ret;") == 16);
  CHECK(width_said_by(thread, "shr.u32 %s, %i, 5; add.u32 %v, %v, %s;") == 16);
}

TEST_CASE("how far the rows of an array are apart says nothing of blocks") {
  CHECK(width_said_by("mad.lo.u32 %i, %ty, 64, %tx;") == 0);
  CHECK(width_said_by("mad.lo.u32 %i, %ty, 64, %tx; mad.lo.u32 %i, %bx, 16, %i;") == 0);
  CHECK(width_said_by("mad.lo.u32 %i, %ty, 33, %tx; mad.lo.u32 %i, %bx, 256, %i;") == 0);
}
