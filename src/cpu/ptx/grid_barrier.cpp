// SPDX-License-Identifier: MIT
#include "cpu/ptx/grid_barrier.h"

namespace pycuda::cpu::ptx {
namespace {

// A cooperative launch puts the address of its barrier into %envreg1 and %envreg2. One thread of
// each block adds to the word behind the barrier's size: 1, or in the first block what turns the
// sign once all have come. Without such a launch there is no barrier to wait at: a trap, as in
// cooperative groups.
constexpr std::string_view functions = R"(
.version 6.2
.target sm_60
.address_size 64

.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
  .reg .b32 %low, %high;
  .reg .b64 %address;
  mov.u32 %high, %envreg1;
  mov.u32 %low, %envreg2;
  mov.b64 %address, {%low, %high};
  st.param.b64 [handle], %address;
  ret;
}

.visible .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
  .reg .pred %is_null, %is_other, %is_first, %is_same;
  .reg .b32 %x, %y, %z, %blocks, %added, %old, %now;
  .reg .b64 %address;
  ld.param.b64 %address, [handle];
  setp.eq.u64 %is_null, %address, 0;
  @%is_null trap;
  barrier.sync 0;
  mov.u32 %x, %tid.x;
  mov.u32 %y, %tid.y;
  mov.u32 %z, %tid.z;
  or.b32 %x, %x, %y;
  or.b32 %x, %x, %z;
  setp.ne.u32 %is_other, %x, 0;
  @%is_other bra met;
  mov.u32 %x, %nctaid.x;
  mov.u32 %y, %nctaid.y;
  mov.u32 %z, %nctaid.z;
  mul.lo.u32 %blocks, %x, %y;
  mul.lo.u32 %blocks, %blocks, %z;
  mov.u32 %x, %ctaid.x;
  mov.u32 %y, %ctaid.y;
  mov.u32 %z, %ctaid.z;
  or.b32 %x, %x, %y;
  or.b32 %x, %x, %z;
  setp.eq.u32 %is_first, %x, 0;
  sub.u32 %added, 0x80000001, %blocks;
  selp.b32 %added, %added, 1, %is_first;
  membar.gl;
  atom.add.u32 %old, [%address + 4], %added;
wait:
  ld.volatile.u32 %now, [%address + 4];
  xor.b32 %now, %now, %old;
  setp.ge.s32 %is_same, %now, 0;
  @%is_same bra wait;
  membar.gl;
met:
  barrier.sync 0;
  st.param.b32 [error], 0;
  ret;
}
)";

}  // namespace

bool calls_grid_barrier(std::string_view ptx) {
  return ptx.find("cudaCGGetIntrinsicHandle") != std::string_view::npos ||
         ptx.find("cudaCGSynchronize") != std::string_view::npos;
}

std::string_view grid_barrier_functions() { return functions; }

}  // namespace pycuda::cpu::ptx
