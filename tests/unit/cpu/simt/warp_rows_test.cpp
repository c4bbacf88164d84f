// SPDX-License-Identifier: MIT
// A warp for each row of a matrix, the usual way to sum up rows: what blocks of whole warps have in
// common, and rows whose length is no multiple of a warp.
#include <cstdint>
#include <string>
#include <vector>

#include "cpu/jit/plan.h"
#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::Form;
using pycuda::cpu::Forms;
using pycuda::cpu::jit::describe_plan;
using pycuda::cpu::jit::Options;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::module_of;
using pycuda::cpu::testing::vectors;

namespace {

/// The warps of a grid, by which `split` makes %row and %lane of the thread's number %r4, sum up n
/// words of a row each, those of each lane in order, and gives lane 0's and its neighbour's sums,
/// mixed: as compilers write that loop down, a few trips alone, then four at a time.
std::string kernel(const std::string& split) {
  const std::string trip =
      "ld.global.u32 %r9, [%rd4]; mad.lo.u32 %sum, %sum, 3, %r9; add.u64 %rd4, %rd4, 128;"
      "add.u32 %j, %j, 32;\n";
  return R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 rows) {
  .reg .b64 %rd<9>; .reg .b32 %r<12>, %n, %rows, %row, %lane, %j, %trips, %few, %sum; .reg .pred %p;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %n, [n];
  ld.param.u32 %rows, [rows]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3; )" +
         split + R"(
  setp.ge.u32 %p, %row, %rows; @%p bra DONE;
  mov.u32 %sum, 0; mov.u32 %j, %lane; setp.ge.s32 %p, %lane, %n; @%p bra SUMMED;
  mul.wide.u32 %rd3, %row, %n; cvt.u64.u32 %rd4, %lane; add.u64 %rd4, %rd4, %rd3;
  shl.b64 %rd4, %rd4, 2; add.u64 %rd4, %rd4, %rd1;
  sub.u32 %trips, %n, %lane; add.u32 %trips, %trips, 31; shr.u32 %trips, %trips, 5;
  and.b32 %few, %trips, 3; setp.eq.u32 %p, %few, 0; @%p bra MANY;
FEW: )" + trip +
         R"(  sub.u32 %few, %few, 1; setp.ne.u32 %p, %few, 0; @%p bra FEW;
MANY: setp.lt.u32 %p, %trips, 4; @%p bra SUMMED;
FOUR: )" +
         trip + trip + trip + trip +
         R"(  setp.lt.s32 %p, %j, %n; @%p bra FOUR;
SUMMED: shfl.sync.down.b32 %r5, %sum, 1, 31, -1; mad.lo.u32 %sum, %sum, 5, %r5;
  mul.wide.u32 %rd5, %r4, 4; add.u64 %rd5, %rd5, %rd2; st.global.u32 [%rd5], %sum;
DONE: ret; })";
}

/// As compilers write x / 32 and x % 32 down for unsigned and signed numbers, and for the constant
/// WARP_SZ.
const std::vector<std::string> splits{
    "shr.u32 %row, %r4, 5; and.b32 %lane, %r4, 31;",
    "shr.s32 %row, %r4, 5; and.b32 %lane, %r4, 31;",
    R"(shr.s32 %r6, %r4, 31; shr.u32 %r6, %r6, 27; add.s32 %r6, %r4, %r6; shr.s32 %row, %r6, 5;
       and.b32 %r6, %r6, -32; sub.s32 %lane, %r4, %r6;)",
    R"(mov.u32 %r6, WARP_SZ; div.s32 %row, %r4, %r6; mul.lo.s32 %r6, %row, %r6;
       sub.s32 %lane, %r4, %r6;)"};

Options whole_warps() {
  Options options = vectors(true);
  options.forms = Forms(Form::Gangs) | Form::Threads;
  return options;
}

void check(LoadedModule& module, std::uint32_t n, Dim3 grid, Dim3 block) {
  const std::uint32_t threads = grid.x * block.x, rows = threads / 32 - (threads > 32 ? 1 : 0);
  std::vector<std::uint32_t> in(std::size_t{rows} * n), found(threads, 7), expected(threads, 7);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<std::uint32_t>(i) * 2654435761u >> 7;
  module.run("k", grid, block, in.data(), found.data(), n, rows);
  module.thread_by_thread = true;
  module.run("k", grid, block, in.data(), expected.data(), n, rows);
  module.thread_by_thread = false;
  CHECK_MESSAGE(found == expected, "rows of " << n << ", blocks of " << block.x);
}

std::string plan_of(const std::string& text, Dim3 block, const Options& options) {
  auto plan = describe_plan(module_of(text), "k", block, options);
  REQUIRE(plan.ok());
  return *plan;
}

}  // namespace

TEST_CASE("rows of warps of any length") {
  for (const std::string& split : splits) {
    LoadedModule whole(kernel(split), whole_warps()), all(kernel(split));
    CHECK(whole.kernel("k").facts.gangs_are_warps);
    for (const std::uint32_t n :
         {1u, 2u, 31u, 32u, 33u, 63u, 64u, 65u, 96u, 100u, 127u, 128u, 129u, 160u, 255u, 1000u}) {
      check(whole, n, {3}, {64});
      check(whole, n, {2}, {32});
      check(all, n, {3}, {64});
      check(all, n, {2}, {72});
    }
  }
}

TEST_CASE("blocks of whole warps have a row for each warp, others do not") {
  for (const std::string& split : splits) {
    Options likely = vectors(true);
    likely.forms = std::nullopt;
    const std::string whole = plan_of(kernel(split), {64}, likely);
    CHECK_MESSAGE(whole.find("gather: any") == std::string::npos, whole);
    // The loop that makes four trips at a time. In whole rows its lanes go together, and read
    // neighbours without a test where the number is known not to be negative.
    const std::string last_load = "22  -                   ld.global.u32           access    ";
    const std::string together = last_load + "contiguous\n";
    if (&split == &splits.front()) CHECK_MESSAGE(whole.find(together) != std::string::npos, whole);
    for (const std::string& other :
         {plan_of(kernel(split), {72}, likely), plan_of(kernel(split), {64}, vectors(true))}) {
      CHECK_MESSAGE(other.find(last_load) != std::string::npos, other);
      CHECK_MESSAGE(other.find(together) == std::string::npos, other);
    }
  }
}

TEST_CASE("lanes that make one trip more than others read their neighbours' elements with them") {
  Options likely = vectors(true);
  likely.forms = std::nullopt;
  const std::string plan = plan_of(kernel(splits.front()), {64}, likely);
  CHECK_MESSAGE(plan.find("in two turns") != std::string::npos, plan);
}
