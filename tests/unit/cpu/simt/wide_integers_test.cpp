// SPDX-License-Identifier: MIT
// Products and sums of more than 64 bits have a vector form, and its bits are right.
#include <cstdint>
#include <string>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::testing::LoadedModule;

namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

constexpr int results = 7;

}  // namespace

TEST_CASE("upper halves of products, and sums with a carry, of 64-bit numbers") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 x, .param .u64 y, .param .u64 out) {
  .reg .b64 %x, %y, %out, %a, %b, %c, %r<8>; .reg .b32 %i, %t, %n;
  ld.param.u64 %x, [x]; ld.param.u64 %y, [y]; ld.param.u64 %out, [out];
  mov.u32 %i, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %i, %n, %t;
  mul.wide.u32 %c, %i, 8; add.u64 %x, %x, %c; add.u64 %y, %y, %c; mul.wide.u32 %c, %i, 56;
  add.u64 %out, %out, %c; ld.global.u64 %a, [%x]; ld.global.u64 %b, [%y];
  mul.hi.u64 %r0, %a, %b; mul.hi.s64 %r1, %a, %b; mad.hi.u64 %r2, %a, %b, %a;
  mul.hi.u64 %r3, %a, -3689348814741910323; shr.u64 %r3, %r3, 3;
  add.cc.u64 %r4, %a, %b; addc.u64 %r5, %a, 0;
  sub.cc.u64 %r6, %a, %b; subc.u64 %r6, %b, 5;
  st.global.u64 [%out], %r0; st.global.u64 [%out+8], %r1; st.global.u64 [%out+16], %r2;
  st.global.u64 [%out+24], %r3; st.global.u64 [%out+32], %r4; st.global.u64 [%out+40], %r5;
  st.global.u64 [%out+48], %r6; ret; })");
  CHECK_MESSAGE(module.kernel("k").facts.gang_lanes != 0, module.kernel("k").facts.scalar_reason);
  constexpr std::uint32_t count = 3 * 90;
  std::vector<std::uint64_t> x(count), y(count), out(results * count);
  for (std::uint32_t i = 0; i < count; ++i) {
    x[i] = i * 0x9e3779b97f4a7c15u;
    y[i] = (i ^ 0x55) * 0xc2b2ae3d27d4eb4fu;
    if (i % 7 == 0) x[i] = 0 - std::uint64_t{i % 2};
    if (i % 5 == 0) y[i] = std::uint64_t{1} << (i % 64);
  }
  module.run("k", {3}, {90}, x.data(), y.data(), out.data());
  for (std::uint32_t i = 0; i < count; ++i) {
    const UnsignedWide product = UnsignedWide{x[i]} * y[i];
    const Wide with_sign = Wide{static_cast<std::int64_t>(x[i])} * static_cast<std::int64_t>(y[i]);
    const auto high = static_cast<std::uint64_t>(product >> 64);
    const auto tenth = static_cast<std::uint64_t>((UnsignedWide{x[i]} * 0xcccccccccccccccdu) >> 64);
    const std::uint64_t* found = &out[results * i];
    CHECK(found[0] == high);
    CHECK(found[1] == static_cast<std::uint64_t>(with_sign >> 64));
    CHECK(found[2] == high + x[i]);
    CHECK(found[3] == tenth >> 3);
    CHECK(found[4] == x[i] + y[i]);
    CHECK(found[5] == x[i] + (x[i] + y[i] < x[i] ? 1 : 0));
    CHECK(found[6] == y[i] - 5 - (x[i] < y[i] ? 1 : 0));
  }
}
