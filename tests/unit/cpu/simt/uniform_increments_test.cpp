// SPDX-License-Identifier: MIT
// Loops from barrier to barrier that step through memory: what lives on, what is tested, what is
// fetched.
#include <sys/mman.h>

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

/// Thread i of a block starts at in[index], index being i + n in 32 bits, and goes on by `step`
/// bytes six times; what a neighbour has found there counts too.
std::string kernel(const std::string& extension) {
  return R"(
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n, .param .u64 step) {
  .reg .b64 %rd<9>; .reg .b32 %r<16>; .reg .pred %p<4>; .shared .align 4 .b8 all[4096];
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n];
  ld.param.u64 %rd5, [step];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r2;
  mul.wide.u32 %rd3, %r5, 4; add.u64 %rd3, %rd3, %rd1; mov.u32 %r10, all;
  shl.b32 %r9, %r5, 2; add.u32 %r11, %r10, %r9; xor.b32 %r9, %r9, 4; add.u32 %r12, %r10, %r9;
  add.u32 %r6, %r5, %r1; )" +
         extension + R"(
  shl.b64 %rd4, %rd4, 2; add.u64 %rd4, %rd4, %rd2; mov.u32 %r13, 0; mov.u32 %r14, 0;
  AGAIN: ld.global.u32 %r7, [%rd4]; st.shared.u32 [%r11], %r7; bar.sync 0;
  ld.shared.u32 %r8, [%r12]; mad.lo.u32 %r13, %r13, 5, %r8; add.u32 %r13, %r13, %r7; bar.sync 0;
  add.u64 %rd4, %rd4, %rd5; add.u32 %r14, %r14, 1; setp.lt.u32 %p1, %r14, 6; @%p1 bra AGAIN;
  st.global.u32 [%rd3], %r13; ret; })";
}

/// Addresses that 32 bits of an index can reach from `middle`, signed or not.
class Reach {
 public:
  Reach()
      : start_(static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    REQUIRE(start_ != MAP_FAILED);
  }
  Reach(const Reach&) = delete;
  Reach& operator=(const Reach&) = delete;
  ~Reach() { munmap(start_, bytes); }

  std::uint32_t* middle() const { return reinterpret_cast<std::uint32_t*>(start_ + bytes / 2); }
  void fill(std::int64_t index) const {
    for (std::int64_t i = index - 1024; i < index + 1024; ++i)
      middle()[i] = static_cast<std::uint32_t>(i) * 2654435761u;
  }

 private:
  static constexpr std::size_t bytes = std::size_t{1} << 36;
  char* start_;
};

void check(const std::string& text, std::uint32_t n, const std::uint32_t* in) {
  for (const unsigned lanes : {0u, 16u, 32u, 64u}) {
    LoadedModule module(text, gangs_of(lanes));
    for (const Dim3& block : {Dim3{64}, Dim3{16, 4}, Dim3{32, 8}, Dim3{20, 3}}) {
      for (const std::uint64_t step : {0, 4, 256, -16}) {
        std::vector<std::uint32_t> found(256, 7), expected(256, 7);
        module.thread_by_thread = false;
        module.run("k", {1}, block, found.data(), in, n, step);
        module.thread_by_thread = true;
        module.run("k", {1}, block, expected.data(), in, n, step);
        CHECK_MESSAGE(found == expected, lanes << " lanes, block " << block.x << " x " << block.y
                                               << ", n " << n << ", step " << step);
      }
    }
  }
}

}  // namespace

TEST_CASE("pointers that step on from an index that wraps within a gang") {
  const Reach reach;
  constexpr std::int64_t all = std::int64_t{1} << 32, half = all / 2;
  for (const std::int64_t index : {std::int64_t{0}, half, -half, all}) reach.fill(index);
  for (const std::uint32_t n : {5u, 0u - 20, 0u - 100})
    check(kernel("cvt.u64.u32 %rd4, %r6;"), n, reach.middle());
  for (const std::uint32_t n : {5u, 0u - 20, 0x80000000u - 20, 0x80000000u - 100})
    check(kernel("cvt.s64.s32 %rd4, %r6;"), n, reach.middle());
}

TEST_CASE("no lane's address is looked at in a loop that steps on from a tested one") {
  const std::string text = module_of(kernel("cvt.s64.s32 %rd4, %r6;"));
  for (const Dim3& block : {Dim3{64}, Dim3{16, 4}}) {
    const auto plan = describe_plan(text, "k", block, {});
    REQUIRE(plan);
    CHECK_MESSAGE(plan->find("gather: tested at run time") != std::string::npos, *plan);
    CHECK_MESSAGE(plan->find("lane for lane") == std::string::npos, *plan);
  }
}

TEST_CASE("what the next trip from barrier to barrier reads is fetched in this one") {
  const auto plan_of = [](std::string text) {
    const auto plan = describe_plan(module_of(text), "k", {64}, {});
    REQUIRE(plan);
    return *plan;
  };
  const std::string wanted = "what the next trip reads is fetched now";
  std::string text = kernel("cvt.s64.s32 %rd4, %r6;");
  CHECK_MESSAGE(plan_of(text).find(wanted) != std::string::npos, plan_of(text));
  // The same place again and again needs no more than to be read.
  const std::string step = "add.u64 %rd4, %rd4, %rd5;";
  text.erase(text.find(step), step.size());
  CHECK_MESSAGE(plan_of(text).find(wanted) == std::string::npos, plan_of(text));
}

TEST_CASE("a value and what it becomes in the next trip share their place between barriers") {
  std::string text = kernel("cvt.s64.s32 %rd4, %r6;");
  const std::string step = "add.u64 %rd4, %rd4, %rd5;";
  text.replace(text.find(step), step.size(), "add.u64 %rd4, %rd4, 256;");
  LoadedModule module(text);
  const auto& facts = module.kernel("k").facts;
  REQUIRE(facts.tile_columns * facts.tile_rows == 64);
  // %r7, %r12, %r13, the addresses to start from, and a few scalars; not %r13 twice.
  constexpr std::uint64_t words = 64 * 4, addresses = 64 * 8, scalars = 128;
  CHECK(facts.tile_frame_bytes <= 3 * words + addresses + scalars);
}
