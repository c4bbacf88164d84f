// SPDX-License-Identifier: MIT
// PTX that every driver since CUDA 11 takes.
#pragma once

namespace driver_test {

inline constexpr const char* kernels_ptx = R"(
.version 7.0
.target sm_52
.address_size 64

.extern .shared .align 16 .b8 dynamic_shared[];
.visible .global .align 4 .u32 counters[4] = {1, 2, 3, 4};
.visible .const .align 4 .u32 factor = 7;

.visible .entry empty()
{
  ret;
}

// to[i] = value for i < count
.visible .entry fill(.param .u64 to, .param .u32 count, .param .u32 value)
{
  .reg .u64 %rd<4>;
  .reg .u32 %r<8>;
  .reg .pred %p;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [count];
  setp.ge.u32 %p, %r4, %r5;
  @%p bra done;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r6, [value];
  mul.wide.u32 %rd2, %r4, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r6;
done:
  ret;
}

// *to = value, for an address of any quality
.visible .entry store(.param .u64 to, .param .u32 value)
{
  .reg .u64 %rd1;
  .reg .u32 %r1;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r1, [value];
  st.global.u32 [%rd1], %r1;
  ret;
}

// *to = *to * factor + 1
.visible .entry step(.param .u64 to)
{
  .reg .u64 %rd1;
  .reg .u32 %r<4>;
  ld.param.u64 %rd1, [to];
  ld.global.u32 %r1, [%rd1];
  ld.const.u32 %r2, [factor];
  mad.lo.u32 %r3, %r1, %r2, 1;
  st.global.u32 [%rd1], %r3;
  ret;
}

// to[thread] = dynamic_shared[last - thread], after each thread wrote its number
.visible .entry reverse(.param .u64 to)
{
  .reg .u64 %rd<4>;
  .reg .u32 %r<9>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, dynamic_shared;
  shl.b32 %r4, %r1, 2;
  add.u32 %r5, %r3, %r4;
  st.shared.u32 [%r5], %r1;
  bar.sync 0;
  sub.u32 %r6, %r2, %r1;
  sub.u32 %r6, %r6, 1;
  shl.b32 %r6, %r6, 2;
  add.u32 %r7, %r3, %r6;
  ld.shared.u32 %r8, [%r7];
  ld.param.u64 %rd1, [to];
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r8;
  ret;
}

// to[0..6] = shape of the launch
.visible .entry shape(.param .u64 to)
{
  .reg .u64 %rd1;
  .reg .u32 %r<7>;
  ld.param.u64 %rd1, [to];
  mov.u32 %r1, %nctaid.x;
  mov.u32 %r2, %nctaid.y;
  mov.u32 %r3, %nctaid.z;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %ntid.y;
  mov.u32 %r6, %ntid.z;
  st.global.u32 [%rd1], %r1;
  st.global.u32 [%rd1+4], %r2;
  st.global.u32 [%rd1+8], %r3;
  st.global.u32 [%rd1+12], %r4;
  st.global.u32 [%rd1+16], %r5;
  st.global.u32 [%rd1+20], %r6;
  ret;
}

.visible .entry trapping()
{
  trap;
  ret;
}

.visible .entry at_most_128(.param .u64 to)
.maxntid 128, 1, 1
{
  ret;
}

.visible .entry exactly_64()
.reqntid 64, 1, 1
{
  ret;
}

.visible .entry with_static_shared(.param .u64 to)
{
  .reg .u64 %rd1;
  .reg .u32 %r<3>;
  .shared .align 4 .b8 kilobyte[1024];
  mov.u32 %r1, kilobyte;
  mov.u32 %r2, 5;
  st.shared.u32 [%r1], %r2;
  ld.shared.u32 %r2, [%r1];
  ld.param.u64 %rd1, [to];
  st.global.u32 [%rd1], %r2;
  ret;
}

// counts in a register, `rounds` times, then *to = the count: no memory, no waiting
.visible .entry count_rounds(.param .u64 to, .param .u32 rounds)
{
  .reg .u64 %rd1;
  .reg .u32 %r<4>;
  .reg .pred %p;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r1, [rounds];
  mov.u32 %r2, 0;
round:
  mad.lo.u32 %r2, %r2, 1664525, %r1;
  shr.u32 %r3, %r2, 7;
  xor.b32 %r2, %r2, %r3;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p, %r1, 0;
  @%p bra round;
  st.global.u32 [%rd1], %r2;
  ret;
}

// busy until *flag is not 0 (memory that the host writes), then *to = value
.visible .entry wait_for_host(.param .u64 flag, .param .u64 to, .param .u32 value)
{
  .reg .u64 %rd<3>;
  .reg .u32 %r<3>;
  .reg .pred %p;
  ld.param.u64 %rd1, [flag];
  ld.param.u64 %rd2, [to];
  ld.param.u32 %r1, [value];
again:
  ld.volatile.global.u32 %r2, [%rd1];
  setp.eq.u32 %p, %r2, 0;
  @%p bra again;
  st.global.u32 [%rd2], %r1;
  ret;
}
)";

inline constexpr const char* asserting_ptx = R"(
.version 7.0
.target sm_52
.address_size 64
.extern .func __assertfail(.param .b64 p0, .param .b64 p1, .param .b32 p2, .param .b64 p3, .param .b64 p4) .noreturn;
.global .align 1 .b8 message[6] = {120, 32, 62, 32, 48, 0};
.global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};
.global .align 1 .b8 func[2] = {107, 0};
.visible .entry asserting()
{
  .reg .u64 %rd<7>;
  mov.u64 %rd1, message;
  cvta.global.u64 %rd2, %rd1;
  mov.u64 %rd3, file;
  cvta.global.u64 %rd4, %rd3;
  mov.u64 %rd5, func;
  cvta.global.u64 %rd6, %rd5;
  {
    .param .b64 p0;
    .param .b64 p1;
    .param .b32 p2;
    .param .b64 p3;
    .param .b64 p4;
    st.param.b64 [p0], %rd2;
    st.param.b64 [p1], %rd4;
    st.param.b32 [p2], 12;
    st.param.b64 [p3], %rd6;
    st.param.b64 [p4], 1;
    call.uni __assertfail, (p0, p1, p2, p3, p4);
  }
  ret;
}
)";

}  // namespace driver_test
