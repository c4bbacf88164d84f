// SPDX-License-Identifier: MIT
// 32-bit indexes of which nothing is known: contiguous where they are small, right where they wrap.
#include <cstdint>
#include <string>
#include <vector>

#include "cpu/jit/plan.h"
#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::jit::describe_plan;
using pycuda::cpu::testing::gangs_of;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::module_of;

namespace {

/// Thread i of a block stores in[index], index being i + n in 32 bits; n and `in` are such that the
/// elements of the threads that have one exist.
std::string kernel(const std::string& extension, const std::string& guard) {
  return R"(
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {
  .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r2;
  mul.wide.u32 %rd3, %r5, 4; add.u64 %rd3, %rd3, %rd1;
  add.u32 %r6, %r5, %r1;
)" + guard +
         extension + R"(
  shl.b64 %rd4, %rd4, 2; add.u64 %rd4, %rd4, %rd2; ld.global.u32 %r7, [%rd4];
  sub.u32 %r8, %r6, 7; )" +
         extension + R"(
  st.global.u32 [%rd3], %r7; END: ret; })";
}

void check(const std::string& text, std::uint32_t n, const std::uint32_t* in) {
  for (const unsigned lanes : {0u, 16u, 32u, 64u}) {
    LoadedModule module(text, gangs_of(lanes));
    for (const Dim3& block : {Dim3{64}, Dim3{16, 4}, Dim3{32, 4}, Dim3{20, 3}}) {
      std::vector<std::uint32_t> found(128, 7), expected(128, 7);
      module.thread_by_thread = false;
      module.run("k", {1}, block, found.data(), in, n);
      module.thread_by_thread = true;
      module.run("k", {1}, block, expected.data(), in, n);
      CHECK_MESSAGE(found == expected,
                    lanes << " lanes, block " << block.x << " x " << block.y << ", n " << n);
    }
  }
}

std::vector<std::uint32_t> numbers() {
  std::vector<std::uint32_t> in(512);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u;
  return in;
}

}  // namespace

TEST_CASE("signed indexes that are small, negative, or wrap within a gang") {
  const std::vector<std::uint32_t> in = numbers();
  const std::string text = kernel("cvt.s64.s32 %rd4, %r6;", "");
  check(text, 5, in.data());
  check(text, 0u - 100, in.data() + 100);
  // Threads from the 20th on have an index, since it has become negative.
  const std::string negative =
      kernel("cvt.s64.s32 %rd4, %r6;", "setp.ge.s32 %p1, %r6, 0; @%p1 bra END;");
  const std::uint64_t shift = std::uint64_t{1} << 33;
  check(negative, 0x80000000u - 20,
        reinterpret_cast<const std::uint32_t*>(reinterpret_cast<std::uint64_t>(in.data()) + shift));
}

TEST_CASE("unsigned indexes that are small, large, or wrap within a gang") {
  const std::vector<std::uint32_t> in = numbers();
  const std::string text = kernel("cvt.u64.u32 %rd4, %r6;", "");
  check(text, 5, in.data());
  check(text, 0xf0000000u,
        reinterpret_cast<const std::uint32_t*>(reinterpret_cast<std::uint64_t>(in.data()) -
                                               (std::uint64_t{0xf0000000u} << 2)));
  const std::string wrapped =
      kernel("cvt.u64.u32 %rd4, %r6;", "setp.ge.u32 %p1, %r6, 1000; @%p1 bra END;");
  check(wrapped, 0u - 20, in.data());
}

TEST_CASE("accesses are contiguous where the indexes of a gang are small") {
  const std::string text = module_of(kernel("cvt.s64.s32 %rd4, %r6;", ""));
  for (const Dim3& block : {Dim3{64}, Dim3{16, 4}}) {
    const auto plan = describe_plan(text, "k", block, {});
    REQUIRE(plan);
    CHECK_MESSAGE(plan->find("tested at run time") == std::string::npos, *plan);
    CHECK_MESSAGE(plan->find("32-bit indexes") != std::string::npos, *plan);
    CHECK_MESSAGE(plan->find("contiguous") != std::string::npos, *plan);
  }
}

namespace {

/// Like in an array of structures: each thread loads a number, takes one of two ways, and stores
/// beside what it has loaded.
std::string behind_branches() {
  return R"(
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {
  .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r2;
  add.u32 %r6, %r5, %r1; cvt.s64.s32 %rd4, %r6; shl.b64 %rd4, %rd4, 2;
  add.u64 %rd5, %rd4, %rd2; ld.global.u32 %r7, [%rd5];
  setp.lt.s32 %p1, %r7, 0; @%p1 bra NEGATIVE;
  mul.lo.u32 %r8, %r7, %r7; and.b32 %r8, %r8, 1023; div.u32 %r7, %r8, 7; bra STORE;
NEGATIVE: div.u32 %r7, %r7, 11;
STORE: add.u64 %rd6, %rd4, %rd1; st.global.u32 [%rd6], %r7; ret; })";
}

}  // namespace

TEST_CASE("behind divergent branches accesses by small indexes are contiguous too") {
  const std::string text = module_of(behind_branches());
  for (const Dim3& block : {Dim3{64}, Dim3{16, 4}}) {
    const auto plan = describe_plan(text, "k", block, {});
    REQUIRE(plan);
    CHECK_MESSAGE(plan->find("divergent") != std::string::npos, *plan);
    CHECK_MESSAGE(plan->find("any addresses") == std::string::npos, *plan);
  }
}

TEST_CASE("behind divergent branches indexes that are small, negative, or wrap within a gang") {
  const std::vector<std::uint32_t> in = numbers();
  for (const unsigned lanes : {0u, 16u, 32u, 64u}) {
    LoadedModule module(behind_branches(), gangs_of(lanes));
    for (const Dim3& block : {Dim3{64}, Dim3{16, 4}, Dim3{32, 4}, Dim3{20, 3}}) {
      for (const std::uint32_t n : {5u, 0u - 100, 0u - 20}) {
        std::vector<std::uint32_t> found(512, 7), expected(512, 7);
        module.thread_by_thread = false;
        module.run("k", {1}, block, found.data() + 150, in.data() + 150, n);
        module.thread_by_thread = true;
        module.run("k", {1}, block, expected.data() + 150, in.data() + 150, n);
        CHECK_MESSAGE(found == expected,
                      lanes << " lanes, block " << block.x << " x " << block.y << ", n " << n);
      }
    }
  }
}

namespace {

/// Each thread adds up 24 numbers of a column, whose addresses are each the last one and a row.
/// `behind`: code between the first twelve and the rest.
std::string column(const std::string& behind) {
  std::string text = R"(
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {
  .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r2;
  mul.wide.u32 %rd3, %r5, 4; add.u64 %rd3, %rd3, %rd1; mov.u32 %r8, 0;
  add.u32 %r6, %r5, %r1; cvt.s64.s32 %rd4, %r6; shl.b64 %rd4, %rd4, 2; add.u64 %rd4, %rd4, %rd2;
  cvt.s64.s32 %rd5, %r1; and.b64 %rd5, %rd5, 4;
)";
  for (unsigned row = 0; row < 24; ++row) {
    if (row == 12) text += behind;
    text += "ld.global.u32 %r7, [%rd4]; mad.lo.u32 %r8, %r8, 3, %r7; add.u64 %rd4, %rd4, %rd5;\n";
  }
  return text + "st.global.u32 [%rd3], %r8; ret; }";
}

/// Threads part by what they have read.
const std::string parting =
    "setp.lt.s32 %p1, %r8, 0; @%p1 bra NEGATIVE; mul.lo.u32 %r8, %r8, %r8; div.u32 %r8, %r8, 7; "
    "bra MET; NEGATIVE: div.u32 %r8, %r8, 11; MET:\n";

}  // namespace

TEST_CASE("long chains of addresses are contiguous to their end") {
  for (const std::string& text : {module_of(column("")), module_of(column(parting))}) {
    for (const Dim3& block : {Dim3{64}, Dim3{16, 4}}) {
      const auto plan = describe_plan(text, "k", block, {});
      REQUIRE(plan);
      CHECK_MESSAGE(plan->find("tested at run time") == std::string::npos, *plan);
      CHECK_MESSAGE(plan->find("any addresses") == std::string::npos, *plan);
    }
  }
}

TEST_CASE("long chains of addresses from indexes that are small, negative, or wrap") {
  const std::vector<std::uint32_t> in = numbers();
  for (const std::string& text : {column(""), column(parting)}) {
    check(text, 5, in.data());
    check(text, 0u - 100, in.data() + 100);
    check(text, 0u - 20, in.data() + 20);
  }
}

namespace {

/// Thread i adds up 24 rows of `n` numbers, element i of each: every index is the sum of the one
/// before and n, in 32 bits.
std::string rows() {
  std::string text = R"(
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {
  .reg .b64 %rd<9>; .reg .b32 %r<9>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r2;
  mul.wide.u32 %rd3, %r5, 4; add.u64 %rd3, %rd3, %rd1; mov.u32 %r6, %r5; mov.u32 %r7, 0;
)";
  for (unsigned row = 0; row < 24; ++row)
    text +=
        "mul.wide.s32 %rd4, %r6, 4; add.u64 %rd4, %rd4, %rd2; ld.global.u32 %r8, [%rd4];"
        "mad.lo.u32 %r7, %r7, 3, %r8; add.u32 %r6, %r6, %r1;\n";
  return text + "st.global.u32 [%rd3], %r7; ret; }";
}

}  // namespace

TEST_CASE("rows whose indexes follow from one another are tested once, however many there are") {
  const std::vector<std::uint32_t> in = numbers();
  for (const std::uint32_t n : {16u, 0u - 16, 0u - 1})
    check(rows(), n, in.data() + 384 * (n >> 31));
  const auto plan = describe_plan(module_of(rows()), "k", {64}, {});
  REQUIRE(plan);
  CHECK_MESSAGE(plan->find("tested at run time") == std::string::npos, *plan);
}
