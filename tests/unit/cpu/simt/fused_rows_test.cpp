// SPDX-License-Identifier: MIT
// Blocks side by side in grids of several dimensions, run as one with long rows.
#include <cstdint>
#include <string>
#include <vector>

#include "cpu/jit/plan.h"
#include "cpu/variants/launch_form.h"
#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::jit::describe_plan;
using pycuda::cpu::jit::Options;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::module_of;
using pycuda::cpu::variants::can_fuse_rows;
using pycuda::cpu::variants::most_fused_blocks;

namespace {

/// Threads whose (x, y, z) is within (n, n / 2 + 1) have %r5 = x, %r6 = y, %r7 = z, %r8 = the place
/// of theirs, %rd3 = the address of out's and %rd4 of in's element there.
const char* const head = R"(
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {
  .reg .b64 %rd<9>; .reg .b32 %r<20>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;
  mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ntid.y; mov.u32 %r4, %tid.y; mad.lo.s32 %r6, %r2, %r3, %r4;
  mov.u32 %r2, %ctaid.z; mov.u32 %r3, %ntid.z; mov.u32 %r4, %tid.z; mad.lo.s32 %r7, %r2, %r3, %r4;
  shr.u32 %r9, %r1, 1; add.s32 %r9, %r9, 1;
  setp.ge.s32 %p1, %r5, %r1; setp.ge.s32 %p2, %r6, %r9; or.pred %p1, %p1, %p2; @%p1 bra END;
  mad.lo.s32 %r8, %r7, %r9, %r6; mad.lo.s32 %r8, %r8, %r1, %r5;
  cvt.s64.s32 %rd3, %r8; add.s64 %rd4, %rd2, %rd3; add.s64 %rd3, %rd1, %rd3;
)";

std::string kernel(const std::string& body) { return head + body + "END: ret; }"; }

const char* const neighbours = R"(
  ld.global.u8 %r10, [%rd4]; ld.global.u8 %r11, [%rd4+1]; ld.global.u8 %r12, [%rd4+2];
  mad.lo.u32 %r10, %r11, 3, %r10; xor.b32 %r10, %r10, %r12; add.u32 %r10, %r10, %r6;
  st.global.u8 [%rd3], %r10;)";

}  // namespace

TEST_CASE("threads of fused blocks find what each alone finds, whatever the block and the grid") {
  for (const unsigned lanes : {0u, 16u, 32u, 64u}) {
    Options options;
    options.gang_lanes = lanes;
    LoadedModule module(kernel(neighbours), options);
    const auto& facts = module.kernel("k").facts;
    CHECK(facts.walks_rows);
    for (const Dim3& block : {Dim3{16, 16}, Dim3{8, 8}, Dim3{20, 3}, Dim3{32, 8, 2}, Dim3{2, 5},
                              Dim3{1, 64}, Dim3{128, 2}, Dim3{100, 3}, Dim3{300, 2}}) {
      for (const Dim3& grid : {Dim3{7, 3, 2}, Dim3{40, 1}, Dim3{1, 4}, Dim3{3, 2}}) {
        for (const std::uint32_t n : {1u, 33u, 250u, 700u}) {
          const std::size_t size = std::size_t{n} * (n / 2 + 1) * grid.z * block.z + 2;
          std::vector<std::uint8_t> in(size), found(size, 7), expected(size, 7);
          for (std::size_t i = 0; i < size; ++i)
            in[i] = static_cast<std::uint8_t>(i * 2654435761u >> 11);
          module.thread_by_thread = false;
          module.run("k", grid, block, found.data(), in.data(), n);
          module.thread_by_thread = true;
          module.run("k", grid, block, expected.data(), in.data(), n);
          const bool same = found == expected;
          CHECK_MESSAGE(same, lanes << " lanes, block " << block.x << " x " << block.y << " x "
                                    << block.z << ", grid " << grid.x << " x " << grid.y << ", n "
                                    << n);
        }
      }
    }
  }
}

TEST_CASE("blocks of two dimensions fuse to rows of 256 threads, where a gang is full") {
  LoadedModule module(kernel(neighbours));
  const auto& k = module.kernel("k");
  CHECK(most_fused_blocks(k.facts, {100, 100}, {16, 16}) == 16);
  CHECK(most_fused_blocks(k.facts, {9, 100}, {16, 16}) == 9);
  CHECK(most_fused_blocks(k.facts, {100, 100}, {100, 2}) == 2);
  CHECK(most_fused_blocks(k.facts, {100, 100}, {256, 2}) == 1);
  CHECK(most_fused_blocks(k.facts, {1, 100}, {16, 16}) == 1);
  CHECK(most_fused_blocks(k.facts, {2, 100}, {2, 128}) == 1);
  CHECK(most_fused_blocks(k.facts, {100, 1}, {256, 1}) == 100);
}

TEST_CASE(
    "words, loops, data, walks across rows, numbers within the block keep blocks of rows apart") {
  const auto fuses = [](const std::string& body) {
    LoadedModule module(kernel(body));
    return can_fuse_rows(module.kernel("k").facts, {16, 16});
  };
  CHECK(fuses("st.global.u8 [%rd3], %r6;"));
  // A tile's row of words is a vector of its own.
  CHECK_FALSE(fuses("shl.b64 %rd5, %rd3, 2; st.global.u32 [%rd5], %r6;"));
  CHECK(fuses("setp.lt.u32 %p2, %r6, %r9; @%p2 st.global.u8 [%rd3], %r6;"));
  CHECK_FALSE(
      fuses("ld.global.u8 %r10, [%rd4]; setp.lt.u32 %p2, %r10, 9; @%p2 bra END;"
            "st.global.u8 [%rd3], %r10;"));
  CHECK_FALSE(
      fuses("mov.u32 %r10, 0; AGAIN: add.u32 %r10, %r10, 1; st.global.u8 [%rd3], %r10;"
            "setp.lt.u32 %p2, %r10, %r6; @%p2 bra AGAIN;"));
  CHECK_FALSE(
      fuses("mad.lo.s32 %r10, %r5, %r1, %r6; cvt.s64.s32 %rd5, %r10;"
            "add.s64 %rd5, %rd5, %rd1; st.global.u8 [%rd5], %r10;"));
  CHECK_FALSE(fuses("mov.u32 %r10, %tid.x; st.global.u8 [%rd3], %r10;"));
  CHECK_FALSE(fuses("mov.u32 %r10, %ctaid.x; st.global.u8 [%rd3], %r10;"));
  CHECK_FALSE(fuses(".shared .b32 s; st.shared.u32 [s], %r5; st.global.u8 [%rd3], %r5;"));
}

namespace {

/// Bytes of `rows` lines below each other, `stride` apart, added up in a loop.
std::string bytes_in_loop(const std::string& rows, const std::string& stride) {
  return "mov.u32 %r10, 0; mov.u32 %r13, 0; cvt.s64.s32 %rd5, " + stride +
         R"(;
    AGAIN: ld.global.u8 %r11, [%rd4]; ld.global.u8 %r12, [%rd4+1];
    mad.lo.u32 %r13, %r13, 3, %r11; xor.b32 %r13, %r13, %r12; add.s64 %rd4, %rd4, %rd5;
    add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, )" +
         rows + "; @%p2 bra AGAIN; st.global.u8 [%rd3], %r13;";
}

}  // namespace

TEST_CASE("loops over bytes that count to a constant fuse, if rows of threads read none together") {
  const auto fuses = [](const std::string& body) {
    LoadedModule module(kernel(body));
    return can_fuse_rows(module.kernel("k").facts, {16, 16});
  };
  CHECK(fuses(bytes_in_loop("5", "%r1")));
  CHECK_FALSE(fuses(bytes_in_loop("%r1", "%r1")));
  // The bytes of a line that is the same for all rows.
  CHECK_FALSE(
      fuses("cvt.s64.s32 %rd4, %r5; add.s64 %rd4, %rd4, %rd2;" + bytes_in_loop("5", "%r1")));
  // Words.
  CHECK_FALSE(
      fuses("mov.u32 %r10, 0; mul.wide.s32 %rd5, %r8, 4; add.s64 %rd4, %rd2, %rd5; add.s64 %rd3, "
            "%rd1, %rd5; AGAIN: ld.global.u32 %r11, [%rd4]; add.s64 %rd4, %rd4, 64; add.u32 %r10, "
            "%r10, %r11; setp.lt.u32 %p2, %r10, 7; @%p2 bra AGAIN; st.global.u32 [%rd3], %r10;"));
}

TEST_CASE("threads of fused blocks with loops find what each alone finds") {
  LoadedModule module(kernel(bytes_in_loop("5", "%r1")));
  for (const Dim3& block : {Dim3{16, 16}, Dim3{20, 3}, Dim3{32, 8, 2}, Dim3{128, 2}}) {
    const Dim3 grid{7, 3, 2};
    for (const std::uint32_t n : {33u, 250u}) {
      const std::size_t size = (std::size_t{n} * (n / 2 + 1) * grid.z * block.z) + 5 * n + 2;
      std::vector<std::uint8_t> in(size), found(size, 7), expected(size, 7);
      for (std::size_t i = 0; i < size; ++i)
        in[i] = static_cast<std::uint8_t>(i * 2654435761u >> 11);
      module.thread_by_thread = false;
      module.run("k", grid, block, found.data(), in.data(), n);
      module.thread_by_thread = true;
      module.run("k", grid, block, expected.data(), in.data(), n);
      const bool same = found == expected;
      CHECK_MESSAGE(same, "block " << block.x << " x " << block.y << ", n " << n);
    }
  }
}

TEST_CASE("what reads several words for each that it writes fuses, too") {
  const std::string address =
      "mul.wide.s32 %rd5, %r8, 4; add.s64 %rd4, %rd2, %rd5; add.s64 %rd3, %rd1, %rd5;";
  const std::string words = kernel(address + R"(
    ld.global.u32 %r10, [%rd4]; ld.global.u32 %r11, [%rd4+4]; ld.global.u32 %r12, [%rd4+8];
    mad.lo.u32 %r10, %r11, 3, %r10; xor.b32 %r10, %r10, %r12; add.u32 %r10, %r10, %r6;
    st.global.u32 [%rd3], %r10;)");
  LoadedModule module(words);
  CHECK(can_fuse_rows(module.kernel("k").facts, {16, 16}));
  CHECK(module.kernel("k").facts.gang_lanes == 64);
  for (const Dim3& block : {Dim3{16, 16}, Dim3{20, 3}, Dim3{32, 8, 2}, Dim3{128, 2}}) {
    const Dim3 grid{7, 3, 2};
    for (const std::uint32_t n : {33u, 250u}) {
      const std::size_t size = std::size_t{n} * (n / 2 + 1) * grid.z * block.z + 2;
      std::vector<std::uint32_t> in(size), found(size, 7), expected(size, 7);
      for (std::size_t i = 0; i < size; ++i) in[i] = static_cast<std::uint32_t>(i * 2654435761u);
      module.thread_by_thread = false;
      module.run("k", grid, block, found.data(), in.data(), n);
      module.thread_by_thread = true;
      module.run("k", grid, block, expected.data(), in.data(), n);
      const bool same = found == expected;
      CHECK_MESSAGE(same, "block " << block.x << " x " << block.y << ", n " << n);
    }
  }
}

TEST_CASE("a thread of fused rows that traps is told by its own block and number") {
  LoadedModule module(
      kernel("setp.eq.u32 %p1, %r5, 37; setp.eq.u32 %p2, %r6, 22;"
             "and.pred %p1, %p1, %p2; @%p1 trap; st.global.u8 [%rd3], %r5;"));
  CHECK(can_fuse_rows(module.kernel("k").facts, {16, 16}));
  std::vector<std::uint8_t> out(100 * 51), in(100 * 51);
  const auto fault = module.fault_of("k", {7, 4}, {16, 16}, out.data(), in.data(), 100u);
  REQUIRE(fault.has_value());
  CHECK_MESSAGE(fault->message.find("(5, 6, 0)") != std::string::npos, fault->message);
  CHECK_MESSAGE(fault->message.find("(2, 1, 0)") != std::string::npos, fault->message);
}

TEST_CASE("the plan tells of fused rows") {
  const auto plan = describe_plan(module_of(kernel(neighbours)), "k", {16, 16}, {});
  REQUIRE(plan);
  CHECK_MESSAGE(plan->find("neighbouring blocks along x are merged, to rows of up to 256") !=
                    std::string::npos,
                *plan);
  CHECK_MESSAGE(plan->find("tile") == std::string::npos, *plan);
}

TEST_CASE("fused rows of long kernels have narrower gangs, which meet borders more rarely") {
  const auto plan_of = [](unsigned times) {
    std::string body = neighbours;
    for (unsigned i = 0; i < times; ++i)
      body += "ld.global.u8 %r11, [%rd4+" + std::to_string(i + 3) +
              "]; mad.lo.u32 %r10, %r10, 3, %r11; xor.b32 %r10, %r10, 9;";
    const auto plan =
        describe_plan(module_of(kernel(body + "st.global.u8 [%rd3], %r10;")), "k", {16, 16}, {});
    REQUIRE(plan);
    CHECK_MESSAGE(plan->find("neighbouring blocks along x are merged") != std::string::npos, *plan);
    return *plan;
  };
  CHECK(plan_of(2).find("gangs of 64") != std::string::npos);
  CHECK(plan_of(40).find("gangs of 32") != std::string::npos);
}
