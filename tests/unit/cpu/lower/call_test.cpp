// SPDX-License-Identifier: MIT
// Device functions: parameters and results of all kinds, recursion, pointers, system functions.
#include <cstdint>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::testing::LoadedModule;

TEST_CASE("scalars and structs go into a device function and come back") {
  LoadedModule module(R"(
.func (.param .align 8 .b8 result[16]) swap(.param .align 8 .b8 pair[16], .param .b32 add, .param .b16 small) {
  .reg .b64 %rd<3>; .reg .b32 %r<3>; .reg .b16 %h;
  ld.param.u64 %rd1, [pair]; ld.param.u64 %rd2, [pair+8];
  ld.param.u32 %r1, [add]; ld.param.u16 %h, [small];
  cvt.u64.u32 %rd0, %r1; add.u64 %rd1, %rd1, %rd0;
  cvt.u64.u16 %rd0, %h; add.u64 %rd2, %rd2, %rd0;
  st.param.u64 [result], %rd2; st.param.u64 [result+8], %rd1;
  ret;
}
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<5>; .reg .b16 %h;
  ld.param.u64 %rd1, [out];
  mov.u16 %h, 3;
  {
    .param .align 8 .b8 p0[16]; .param .b32 p1; .param .b16 p2; .param .align 8 .b8 r0[16];
    st.param.u64 [p0], 100; st.param.u64 [p0+8], 200; st.param.u32 [p1], 1; st.param.u16 [p2], %h;
    call.uni (r0), swap, (p0, p1, p2);
    ld.param.v2.u64 {%rd2, %rd3}, [r0];
  }
  st.global.v2.u64 [%rd1], {%rd2, %rd3};
  ret;
})");
  alignas(16) std::uint64_t out[2] = {};
  module.run("k", {1}, {1}, &out[0]);
  CHECK(out[0] == 203);
  CHECK(out[1] == 101);
}

TEST_CASE("functions with register parameters and several results work") {
  LoadedModule module(R"(
.func (.reg .u32 q, .reg .u32 r) divide(.reg .u32 a, .reg .u32 b) {
  div.u32 q, a, b; rem.u32 r, a, b; ret;
}
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd; .reg .b32 %r<3>;
  ld.param.u64 %rd, [out];
  call (%r1, %r2), divide, (47, 5);
  st.global.v2.u32 [%rd], {%r1, %r2};
  ret;
})");
  std::vector<std::uint32_t> out(2);
  module.run("k", {1}, {1}, out.data());
  CHECK(out == std::vector<std::uint32_t>{9, 2});
}

TEST_CASE("a device function may call itself") {
  LoadedModule module(R"(
.func (.param .b32 r) fib(.param .b32 n) {
  .reg .pred %p; .reg .b32 %r<6>;
  ld.param.u32 %r1, [n];
  setp.lt.u32 %p, %r1, 2;
  @%p st.param.b32 [r], %r1;
  @%p ret;
  sub.u32 %r2, %r1, 1; sub.u32 %r3, %r1, 2;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), fib, (a); ld.param.b32 %r4, [b]; }
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call.uni (b), fib, (a); ld.param.b32 %r5, [b]; }
  add.u32 %r4, %r4, %r5;
  st.param.b32 [r], %r4;
  ret;
}
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd; .reg .b32 %r;
  ld.param.u64 %rd, [out];
  { .param .b32 a; .param .b32 b; st.param.b32 [a], 20; call.uni (b), fib, (a); ld.param.b32 %r, [b]; }
  st.global.u32 [%rd], %r;
  ret;
})");
  std::uint32_t out = 0;
  module.run("k", {1}, {1}, &out);
  CHECK(out == 6765);
}

TEST_CASE("function pointers call what each thread chose, aliases included") {
  LoadedModule module(R"(
.func (.param .b32 r) one(.param .b32 x) { .reg .b32 %r; ld.param.u32 %r, [x]; add.u32 %r, %r, 1; st.param.b32 [r], %r; ret; }
.func (.param .b32 r) two(.param .b32 x) { .reg .b32 %r; ld.param.u32 %r, [x]; mul.lo.u32 %r, %r, 2; st.param.b32 [r], %r; ret; }
.func (.param .b32 r) other(.param .b32 x);
.alias other, two;
.global .align 8 .u64 table[2] = {one, other};
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<6>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 1; mul.wide.u32 %rd2, %r2, 8; mov.u64 %rd3, table; add.u64 %rd2, %rd2, %rd3;
  ld.global.u64 %rd4, [%rd2];
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;
    proto: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (b), %rd4, (a), proto;
    ld.param.b32 %r3, [b]; }
  mul.wide.u32 %rd5, %r1, 4; add.u64 %rd5, %rd5, %rd1;
  st.global.u32 [%rd5], %r3;
  ret;
})");
  std::vector<std::uint32_t> out(16);
  module.run("k", {1}, {16}, out.data());
  for (std::uint32_t i = 0; i < 16; ++i) CHECK(out[i] == (i % 2 ? i * 2 : i + 1));
}

TEST_CASE("exit within a device function ends the thread") {
  LoadedModule module(R"(
.func leave(.param .b32 x) {
  .reg .pred %p; .reg .b32 %r;
  ld.param.u32 %r, [x]; setp.lt.u32 %p, %r, 3;
  @%p exit;
  ret;
}
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<3>; .reg .b32 %r;
  ld.param.u64 %rd1, [out]; mov.u32 %r, %tid.x;
  { .param .b32 a; st.param.b32 [a], %r; call leave, (a); }
  mul.wide.u32 %rd2, %r, 4; add.u64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], 1;
  bar.sync 0;
  ret;
})");
  std::vector<std::uint32_t> out(5);
  module.run("k", {1}, {5}, out.data());
  CHECK(out == std::vector<std::uint32_t>{0, 0, 0, 1, 1});
}

TEST_CASE("device memory can be allocated and freed") {
  LoadedModule module(R"(
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<4>; .reg .b32 %r;
  ld.param.u64 %rd1, [out];
  { .param .b64 a; .param .b64 b; st.param.b64 [a], 64; call.uni (b), malloc, (a); ld.param.b64 %rd2, [b]; }
  st.u32 [%rd2+60], 77; ld.u32 %r, [%rd2+60];
  { .param .b64 a; st.param.b64 [a], %rd2; call.uni free, (a); }
  st.global.u32 [%rd1], %r;
  ret;
})");
  std::uint32_t out = 0;
  module.run("k", {1}, {1}, &out);
  CHECK(out == 77);
}

TEST_CASE("a failed assertion stops the launch and says where") {
  LoadedModule module(R"(
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e) .noreturn;
.global .align 1 .b8 what[7] = {120, 32, 61, 61, 32, 49};
.global .align 1 .b8 file[5] = {97, 46, 99, 117};
.global .align 1 .b8 function[2] = {102};
.visible .entry k() {
  .reg .b64 %rd<4>;
  { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
    mov.u64 %rd1, what; st.param.b64 [a], %rd1; mov.u64 %rd2, file; st.param.b64 [b], %rd2;
    st.param.b32 [c], 12; mov.u64 %rd3, function; st.param.b64 [d], %rd3; st.param.b64 [e], 1;
    call.uni __assertfail, (a, b, c, d, e); }
  ret;
})");
  const auto fault = module.fault_of("k", {1}, {1});
  REQUIRE(fault);
  CHECK(fault->kind == pycuda::cpu::FaultKind::Assert);
  CHECK(fault->message.find("x == 1") != std::string::npos);
  CHECK(fault->message.find("a.cu:12") != std::string::npos);
}
