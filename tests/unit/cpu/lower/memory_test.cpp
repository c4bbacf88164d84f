// SPDX-License-Identifier: MIT
// Loads and stores of every space and width, vectors, moves, addresses.
#include <cstdint>
#include <cstring>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::testing::LoadedModule;

TEST_CASE("narrow loads extend by their type's sign and narrow stores cut") {
  LoadedModule module(R"(
.visible .entry narrow(.param .u64 in, .param .u64 out) {
  .reg .b64 %rd<3>; .reg .b32 %r<9>; .reg .b16 %h<5>;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
  ld.global.s8 %r1, [%rd1]; ld.global.u8 %r2, [%rd1];
  ld.global.s16 %r3, [%rd1]; ld.global.u16 %r4, [%rd1];
  ld.global.s8 %h1, [%rd1]; cvt.s32.s16 %r5, %h1;
  ld.global.b8 %r6, [%rd1+1];
  st.global.v4.b32 [%rd2], {%r1, %r2, %r3, %r4};
  st.global.v2.b32 [%rd2+16], {%r5, %r6};
  mov.u32 %r7, 0x12345678;
  st.global.u8 [%rd2+24], %r7; st.global.u16 [%rd2+26], %r7;
  ret;
})");
  const std::uint16_t in = 0xfe80;
  std::vector<std::uint32_t> out(7, 0);
  module.run("narrow", {1}, {1}, &in, out.data());
  CHECK(out == std::vector<std::uint32_t>{0xffffff80, 0x80, 0xfffffe80, 0xfe80, 0xffffff80, 0xfe,
                                          0x56780078});
}

TEST_CASE("vectors of two, four and eight elements load and store whole, sinks left out") {
  LoadedModule module(R"(
.visible .entry vectors(.param .u64 in, .param .u64 out) {
  .reg .b64 %rd<8>; .reg .f32 %f<8>; .reg .b16 %h<5>; .reg .b32 %r<9>; .reg .v4 .b32 %v;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
  ld.global.v4.f32 {%f1, _, %f3, %f4}, [%rd1];
  st.global.v4.f32 [%rd2], {%f4, %f3, 0f40000000, %f1};
  ld.global.v2.u64 {%rd3, %rd4}, [%rd1];
  st.global.v2.u64 [%rd2+16], {%rd4, %rd3};
  ld.global.v4.u16 {%h1, %h2, %h3, %h4}, [%rd1];
  st.global.v4.u16 [%rd2+32], {%h4, %h3, %h2, %h1};
  ld.global.v4.u32 %v, [%rd1];
  st.global.u32 [%rd2+40], %v.y;
  ret;
})");
  alignas(16) const float in[4] = {1, 2, 3, 4};
  alignas(16) std::uint32_t out[12] = {};
  module.run("vectors", {1}, {1}, &in[0], &out[0]);
  const auto as_float = [&](int i) {
    float value;
    std::memcpy(&value, &out[i], 4);
    return value;
  };
  CHECK(as_float(0) == 4);
  CHECK(as_float(1) == 3);
  CHECK(as_float(2) == 2);
  CHECK(as_float(3) == 1);
  CHECK(as_float(4) == 3);
  CHECK(as_float(6) == 1);
  CHECK(out[8] == 0x4000);
  CHECK(out[9] == 0x3f80);
  CHECK(as_float(10) == 2);
}

TEST_CASE("mov packs and unpacks vectors") {
  LoadedModule module(R"(
.visible .entry packing(.param .u64 out) {
  .reg .b64 %rd<8>; .reg .b16 %h<5>; .reg .b32 %r<9>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, 0x11223344; mov.u32 %r2, 0x55667788;
  mov.b64 %rd2, {%r1, %r2};
  mov.b64 {%h1, %h2, %h3, %h4}, %rd2;
  mov.b32 %r3, {%h4, %h1};
  mov.b64 {_, %r4}, %rd2;
  st.global.u64 [%rd1], %rd2;
  st.global.v2.u32 [%rd1+8], {%r3, %r4};
  ret;
})");
  std::uint64_t out[2] = {};
  module.run("packing", {1}, {1}, &out[0]);
  CHECK(out[0] == 0x5566778811223344u);
  CHECK(out[1] == 0x5566778833445566u);
}

TEST_CASE("parameters of every width and structs by value arrive at their offsets") {
  LoadedModule module(R"(
.visible .entry params(.param .u8 a, .param .u16 b, .param .align 8 .b8 s[24], .param .f32 f, .param .f64 d, .param .u64 out) {
  .reg .b64 %rd<8>; .reg .b32 %r<9>; .reg .f32 %f; .reg .f64 %d<3>; .reg .b16 %h<3>;
  ld.param.u8 %r1, [a]; ld.param.u16 %r2, [b];
  ld.param.u32 %r3, [s]; ld.param.u64 %rd2, [s+8]; ld.param.f64 %d1, [s+16];
  ld.param.f32 %f, [f]; ld.param.f64 %d2, [d]; ld.param.u64 %rd1, [out];
  st.global.v2.u32 [%rd1], {%r1, %r2};
  st.global.u32 [%rd1+8], %r3; st.global.f32 [%rd1+12], %f;
  st.global.u64 [%rd1+16], %rd2; st.global.v2.f64 [%rd1+32], {%d1, %d2};
  mov.b64 %rd3, s; ld.param.u32 %r4, [%rd3+8]; st.global.u32 [%rd1+24], %r4;
  ret;
})");
  struct Struct {
    std::uint32_t a;
    std::uint64_t b;
    double c;
  };
  struct alignas(16) Out {
    std::uint32_t a, b, s_a;
    float f;
    std::uint64_t s_b;
    std::uint32_t s_b_low, unused;
    double s_c, d;
  } out{};
  module.run("params", {1}, {1}, std::uint8_t{200}, std::uint16_t{60000},
             Struct{7, 1ull << 40 | 5, 2.5}, 1.5f, -3.25, &out);
  CHECK(out.a == 200);
  CHECK(out.b == 60000);
  CHECK(out.s_a == 7);
  CHECK(out.f == 1.5f);
  CHECK(out.s_b == (1ull << 40 | 5));
  CHECK(out.s_b_low == 5);
  CHECK(out.s_c == 2.5);
  CHECK(out.d == -3.25);
  CHECK(module.kernel("params").facts.parameters.at(2).offset == 8);
  CHECK(module.kernel("params").facts.parameter_bytes == 56);
}

TEST_CASE("local memory is each thread's own, also through generic addresses") {
  LoadedModule module(R"(
.visible .entry locals(.param .u64 out) {
  .local .align 16 .b8 depot[64];
  .reg .b64 %rd<8>; .reg .b32 %r<9>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u64 %rd2, depot; cvta.local.u64 %rd3, %rd2;
  and.b32 %r2, %r1, 7; mul.wide.u32 %rd4, %r2, 4;
  add.s64 %rd5, %rd3, %rd4;
  st.u32 [%rd5], %r1;
  add.s64 %rd6, %rd2, %rd4;
  ld.local.u32 %r3, [%rd6];
  isspacep.local %p1, %rd3; isspacep.global %p2, %rd3; isspacep.global %p3, %rd1;
  selp.u32 %r4, 1, 0, %p1; selp.u32 %r5, 2, 0, %p2; selp.u32 %r6, 4, 0, %p3;
  or.b32 %r4, %r4, %r5; or.b32 %r4, %r4, %r6; shl.b32 %r4, %r4, 16; or.b32 %r3, %r3, %r4;
  mul.wide.u32 %rd7, %r1, 4; add.s64 %rd7, %rd1, %rd7;
  st.global.u32 [%rd7], %r3;
  ret;
})");
  std::vector<std::uint32_t> out(40);
  module.run("locals", {1}, {40}, out.data());
  for (std::uint32_t i = 0; i < 40; ++i) CHECK(out[i] == (i | 5u << 16));
  CHECK(module.kernel("locals").facts.local_bytes == 64);
}

TEST_CASE("static and dynamic shared memory lie behind each other; generic addresses reach both") {
  LoadedModule module(R"(
.extern .shared .align 16 .b8 dynamic[];
.shared .align 4 .u32 counter;
.visible .entry shares(.param .u64 out) {
  .shared .align 8 .b8 tile[24];
  .reg .b64 %rd<8>; .reg .b32 %r<9>; .reg .pred %p;
  ld.param.u64 %rd1, [out];
  st.shared.u32 [counter], 5;
  st.shared.u32 [tile+20], 6;
  mov.u32 %r1, dynamic; st.shared.u32 [%r1+4], 7;
  cvta.shared.u64 %rd2, 0;
  mov.u64 %rd3, tile; cvta.shared.u64 %rd3, %rd3; ld.u32 %r2, [%rd3+20];
  cvta.to.shared.u64 %rd4, %rd3; mov.u64 %rd5, tile; sub.s64 %rd4, %rd4, %rd5; cvt.u32.u64 %r3, %rd4;
  ld.shared.u32 %r4, [counter];
  ld.shared.u32 %r5, [dynamic+4];
  st.global.v4.u32 [%rd1], {%r2, %r3, %r4, %r5};
  isspacep.shared %p, %rd3; selp.u32 %r6, 1, 0, %p;
  mov.u32 %r7, %dynamic_smem_size;
  st.global.v2.u32 [%rd1+16], {%r6, %r7};
  ret;
}
.visible .entry none() { ret; }
)");
  alignas(16) std::uint32_t out[6] = {};
  module.dynamic_shared_bytes = 32;
  module.run("shares", {1}, {1}, &out[0]);
  CHECK(out[0] == 6);
  CHECK(out[1] == 0);
  CHECK(out[2] == 5);
  CHECK(out[3] == 7);
  CHECK(out[4] == 1);
  CHECK(out[5] == 32);
  CHECK(module.kernel("shares").facts.static_shared_bytes == 32);
  CHECK(module.kernel("none").facts.static_shared_bytes == 0);
}

TEST_CASE("shared variables that no kernel reaches together share their place") {
  LoadedModule module(R"(
.visible .entry a() { .shared .b8 big[30000]; st.shared.u8 [big], 1; ret; }
.visible .entry b() { .shared .b8 large[30000]; st.shared.u8 [large], 1; ret; }
)");
  CHECK(module.kernel("a").facts.static_shared_bytes == 30000);
  CHECK(module.kernel("b").facts.static_shared_bytes == 30000);
}

TEST_CASE("what lies behind another kernel's variables counts against no kernel's limit") {
  // `both` lies behind 40000 bytes that only `a` has, `rest` behind both.
  LoadedModule module(R"(
.shared .b8 first[40000];
.shared .b8 both[4000];
.shared .b8 rest[20000];
.visible .entry a() { st.shared.u8 [first], 1; st.shared.u8 [both], 1; ret; }
.visible .entry b() { st.shared.u8 [both], 1; st.shared.u8 [rest], 1; ret; }
)");
  CHECK(module.kernel("a").facts.static_shared_bytes == 44000);
  CHECK(module.kernel("b").facts.static_shared_bytes >= 24000);
}

TEST_CASE("asynchronous copies are done when waited for, and fill up with zeros") {
  LoadedModule module(R"(
.visible .entry copies(.param .u64 in, .param .u64 out) {
  .shared .align 16 .b8 tile[32];
  .reg .b64 %rd<8>; .reg .b32 %r<9>;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
  mov.u32 %r1, tile; mov.u32 %r2, 4;
  cp.async.cg.shared.global [%r1], [%rd1], 16;
  cp.async.ca.shared.global [%r1+16], [%rd1], 8, %r2;
  cp.async.commit_group;
  cp.async.wait_group 0;
  ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [tile];
  st.global.v4.u32 [%rd2], {%r3, %r4, %r5, %r6};
  ld.shared.v2.u32 {%r3, %r4}, [tile+16];
  st.global.v2.u32 [%rd2+16], {%r3, %r4};
  ret;
})");
  alignas(16) const std::uint32_t in[4] = {1, 2, 3, 4};
  alignas(16) std::uint32_t out[6] = {9, 9, 9, 9, 9, 9};
  module.run("copies", {1}, {1}, &in[0], &out[0]);
  CHECK(std::vector<std::uint32_t>(out, out + 6) == std::vector<std::uint32_t>{1, 2, 3, 4, 1, 0});
}

TEST_CASE("alloca gives memory of the asked alignment that lives until the function returns") {
  LoadedModule module(R"(
.visible .entry stack(.param .u64 out, .param .u64 bytes) {
  .reg .b64 %rd<9>; .reg .b32 %r<9>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [bytes];
  stacksave.u64 %rd3;
  alloca.u64 %rd4, %rd2, 128;
  alloca.u64 %rd5, %rd2;
  st.local.u32 [%rd4], 11; st.local.u32 [%rd5], 22;
  ld.local.u32 %r1, [%rd4]; ld.local.u32 %r2, [%rd5];
  and.b64 %rd6, %rd4, 127; cvt.u32.u64 %r3, %rd6;
  stackrestore.u64 %rd3;
  st.global.v2.u32 [%rd1], {%r1, %r2}; st.global.u32 [%rd1+8], %r3;
  ret;
})");
  std::vector<std::uint32_t> out(3, 9);
  module.run("stack", {1}, {1}, out.data(), std::uint64_t{100});
  CHECK(out == std::vector<std::uint32_t>{11, 22, 0});
}

TEST_CASE("a stray access faults and names the source line") {
  const std::string body = R"(
.file 1 "kernel.cu"
.visible .entry stray(.param .u64 p) {
  .reg .b64 %rd; .reg .b32 %r;
  ld.param.u64 %rd, [p];
  .loc 1 42 3
  ld.global.u32 %r, [%rd];
  st.global.u32 [%rd+4], %r;
  ret;
})";
  LoadedModule module(body);
  const auto fault = module.fault_of("stray", {1}, {1}, std::uint64_t{16});
  REQUIRE(fault);
  CHECK(fault->kind == pycuda::cpu::FaultKind::IllegalAddress);
  CHECK(fault->message.find("kernel.cu") != std::string::npos);
  CHECK(fault->message.find("42") != std::string::npos);
}

TEST_CASE("a misaligned access of any space faults and names address and line") {
  LoadedModule module(R"(
.file 1 "odd.cu"
.extern .shared .align 16 .b8 tile[];
.const .align 16 .b8 table[32] = {1, 2, 3, 4};
.visible .entry load_global(.param .u64 p) {
  .reg .b64 %rd; .reg .b32 %r;
  ld.param.u64 %rd, [p];
  .loc 1 7 1
  ld.global.u32 %r, [%rd+8]; st.global.u32 [%rd], %r;
  ret;
}
.visible .entry load_pair(.param .u64 p) {
  .reg .b64 %rd; .reg .b32 %r<3>;
  ld.param.u64 %rd, [p];
  ld.v2.u32 {%r1, %r2}, [%rd]; st.u32 [%rd], %r2;
  ret;
}
.visible .entry volatile_pair(.param .u64 p) {
  .reg .b64 %rd; .reg .b32 %r<3>;
  ld.param.u64 %rd, [p];
  ld.volatile.global.v2.u32 {%r1, %r2}, [%rd];
  ret;
}
.visible .entry store_shared(.param .u32 p) {
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [p]; mov.u32 %r2, tile; add.u32 %r2, %r2, %r1;
  st.shared.u32 [%r2], %r1;
  ret;
}
.visible .entry load_const(.param .u64 p, .param .u64 out) {
  .reg .b64 %rd<4>; .reg .b16 %h;
  ld.param.u64 %rd1, [p]; ld.param.u64 %rd3, [out]; mov.u64 %rd2, table; add.u64 %rd2, %rd2, %rd1;
  ld.const.u16 %h, [%rd2]; st.global.u16 [%rd3], %h;
  ret;
}
.visible .entry add(.param .u64 p) {
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  red.global.add.u64 [%rd1], 1;
  ret;
}
.visible .entry copy(.param .u64 p, .param .u32 bytes) {
  .reg .b64 %rd; .reg .b32 %r<3>;
  ld.param.u64 %rd, [p]; ld.param.u32 %r1, [bytes]; mov.u32 %r2, tile;
  cp.async.ca.shared.global [%r2], [%rd], 8, %r1;
  ret;
}
.visible .entry walk(.param .u64 p, .param .u32 n) {
  .reg .b64 %rd; .reg .b32 %r<3>; .reg .pred %q;
  ld.param.u64 %rd, [p]; ld.param.u32 %r1, [n];
again:
  st.global.u32 [%rd], %r1;
  add.u64 %rd, %rd, 4; sub.u32 %r1, %r1, 1; setp.ne.u32 %q, %r1, 0;
  @%q bra again;
  ret;
}
.visible .entry drift(.param .u64 p, .param .u32 n) {
  .reg .b64 %rd; .reg .b32 %r<3>; .reg .pred %q;
  ld.param.u64 %rd, [p]; ld.param.u32 %r1, [n];
again:
  st.global.u16 [%rd], %r1;
  add.u64 %rd, %rd, 3; sub.u32 %r1, %r1, 1; setp.ne.u32 %q, %r1, 0;
  @%q bra again;
  ret;
})");
  alignas(16) std::uint32_t memory[8] = {};
  const auto base = reinterpret_cast<std::uint64_t>(&memory[0]);
  const auto misaligned = [](const std::optional<pycuda::cpu::exec::Fault>& fault,
                             std::uint64_t address) {
    REQUIRE(fault);
    CHECK(fault->kind == pycuda::cpu::FaultKind::MisalignedAddress);
    if (address != 0) CHECK(fault->address == address);
  };
  const auto in_line = module.fault_of("load_global", {1}, {1}, base + 2);
  misaligned(in_line, base + 10);
  CHECK(in_line->message.find("odd.cu:7") != std::string::npos);
  misaligned(module.fault_of("load_pair", {1}, {1}, base + 4), base + 4);
  misaligned(module.fault_of("volatile_pair", {1}, {1}, base + 4), base + 4);
  misaligned(module.fault_of("store_shared", {1}, {1}, std::uint32_t{1}), 0);
  misaligned(module.fault_of("load_const", {1}, {1}, std::uint64_t{3}, base), 0);
  misaligned(module.fault_of("add", {1}, {1}, base + 4), base + 4);
  misaligned(module.fault_of("copy", {1}, {1}, base + 4, std::uint32_t{4}), base + 4);
  misaligned(module.fault_of("walk", {1}, {1}, base + 1, std::uint32_t{4}), base + 1);
  misaligned(module.fault_of("drift", {1}, {1}, base, std::uint32_t{4}), base + 3);

  CHECK_FALSE(module.fault_of("load_pair", {1}, {1}, base + 8));
  CHECK_FALSE(module.fault_of("load_const", {1}, {1}, std::uint64_t{2}, base));
  CHECK_FALSE(module.fault_of("walk", {1}, {1}, base + 4, std::uint32_t{4}));
  CHECK_FALSE(module.fault_of("copy", {1}, {1}, base + 8, std::uint32_t{4}));
}
