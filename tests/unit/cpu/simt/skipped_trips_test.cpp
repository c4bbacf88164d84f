// SPDX-License-Identifier: MIT
// Loops whose only way out is behind what some trips skip: who skips it now comes by later, and
// must not run it now.
#include <cstdint>
#include <string>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::testing::gangs_of;
using pycuda::cpu::testing::LoadedModule;

namespace {

const std::string start = R"(
.visible .entry k(.param .u64 out, .param .u64 total) {
  .reg .b64 %out, %total, %a; .reg .b32 %nx, %bx, %by, %lin, %i, %g, %x, %s, %t, %c<3>;
  .reg .pred %p, %q;
  ld.param.u64 %out, [out]; ld.param.u64 %total, [total];
  mov.u32 %t, %tid.x; mov.u32 %nx, %ntid.x; mov.u32 %bx, %ctaid.x; mov.u32 %by, %tid.y;
  mad.lo.s32 %lin, %by, %nx, %t; mad.lo.s32 %g, %bx, %nx, %t; mov.u32 %i, %ntid.y;
  mul.lo.s32 %i, %i, %nx; mad.lo.s32 %i, %bx, %i, %lin; mul.wide.u32 %a, %i, 4;
  add.u64 %a, %a, %out; mov.u32 %c0, 0;
)";

void compare(const std::string& body) {
  for (const unsigned lanes : {16u, 32u, 64u}) {
    LoadedModule module(start + body, gangs_of(lanes));
    for (const Dim3 block : {Dim3{32, 4}, Dim3{64, 2}, Dim3{128}, Dim3{72}}) {
      constexpr std::uint32_t blocks = 4, none = 7;
      std::vector<std::uint32_t> expected(blocks * 128, none), found = expected;
      std::uint32_t expected_total = 0, total = 0;
      module.thread_by_thread = true;
      module.run("k", {blocks}, block, expected.data(), &expected_total);
      module.thread_by_thread = false;
      module.run("k", {blocks}, block, found.data(), &total);
      CHECK_MESSAGE(found == expected, lanes << " lanes, block " << block.x << " x " << block.y);
      CHECK(total == expected_total);
    }
  }
}

}  // namespace

TEST_CASE("a way out behind a condition that other trips fail") {
  compare(R"(
    add.u32 %x, %g, 1;
  next: and.b32 %t, %x, 1; setp.eq.u32 %p, %t, 1; @%p bra odd;
    add.u32 %c0, %c0, 1; red.global.add.u32 [%total], %c0;
    shr.u32 %x, %x, 1; setp.le.u32 %q, %x, 1; @%q bra done;
    bra next;
  odd: mad.lo.u32 %x, %x, 3, 1; bra next;
  done: st.global.u32 [%a], %c0; ret; })");
}

TEST_CASE("ways into the middle of a loop that gangs take when they divide") {
  compare(R"(
    and.b32 %c1, %by, 7; add.u32 %c1, %c1, 1; mov.u32 %c2, 0;
  next: setp.gt.s32 %p, %lin, 69; @%p bra count;
    setp.ge.u32 %q, %g, 934; @%q bra done;
    red.global.add.u32 [%total], %c0; add.u32 %c2, %c2, 3;
  count: add.u32 %c0, %c0, 1; setp.lt.u32 %q, %c0, %c1; @%q bra next;
  done: add.u32 %c2, %c2, %c0; st.global.u32 [%a], %c2; ret; })");
}
