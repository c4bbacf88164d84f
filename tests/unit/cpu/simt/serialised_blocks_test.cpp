// SPDX-License-Identifier: MIT
// Steps of loops that some threads of a block take, all over shared memory: thread by thread.
#include <cstdint>
#include <string>
#include <vector>

#include "cpu/jit/plan.h"
#include "unit/cpu/kernel_run.h"

using pycuda::cpu::jit::describe_plan;
using pycuda::cpu::testing::gangs_of;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::module_of;

namespace {

/// A table of `side` x `side` in shared memory, a column a thread. At step %d thread %t does `turn`
/// with %y = %d - %t where `condition` makes %z false; its number of row %y is at [%a].
std::string kernel(unsigned side, const std::string& condition, const std::string& turn) {
  const std::string row = std::to_string(4 * side), words = std::to_string(side * side);
  return R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b64 %in, %out, %p; .reg .b32 %t, %n, %i, %a, %s, %y, %d, %r<6>; .reg .f32 %f<3>;
  .reg .pred %z, %w; .shared .align 4 .b8 memory[17000];
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x;
  mov.u32 %s, memory; mov.u32 %i, %t;
FILL:
  mul.wide.u32 %p, %i, 4; add.u64 %p, %p, %in; ld.global.u32 %r0, [%p];
  shl.b32 %r1, %i, 2; add.u32 %r1, %r1, %s; st.shared.u32 [%r1], %r0;
  add.u32 %i, %i, %n; setp.lt.u32 %z, %i, )" +
         words + R"(; @%z bra FILL;
  mov.u32 %d, 0;
  bar.sync 0;
STEP:
  sub.s32 %y, %d, %t;
  )" + condition +
         R"(
  @%z bra NEXT;
  mul.lo.u32 %a, %y, )" +
         row + R"(; shl.b32 %r0, %t, 2; add.u32 %a, %a, %r0; add.u32 %a, %a, %s;
  )" + turn +
         R"(
NEXT:
  bar.sync 0;
  add.u32 %d, %d, 1; setp.lt.u32 %w, %d, )" +
         std::to_string(2 * side) + R"(; @%w bra STEP;
  mov.u32 %i, %t;
EMPTY:
  shl.b32 %r1, %i, 2; add.u32 %r1, %r1, %s; ld.shared.u32 %r0, [%r1];
  mul.wide.u32 %p, %i, 4; add.u64 %p, %p, %out; st.global.u32 [%p], %r0;
  add.u32 %i, %i, %n; setp.lt.u32 %z, %i, )" +
         words + R"(; @%z bra EMPTY;
  ret;
})";
}

/// All but the first row and column, on one diagonal of the table at a time.
std::string on_diagonal(unsigned side) {
  return "add.s32 %r0, %y, -1; setp.ge.u32 %z, %r0, " + std::to_string(side - 1) +
         "; setp.eq.u32 %w, %t, 0; or.pred %z, %z, %w; setp.ge.u32 %w, %t, " +
         std::to_string(side) + "; or.pred %z, %z, %w;";
}

/// The larger of the neighbours above and to the left, and what is there plus the one between.
std::string from_neighbours(unsigned side) {
  const std::string above = "[%a+-" + std::to_string(4 * side) + "]",
                    between = "[%a+-" + std::to_string(4 * side + 4) + "]";
  return "ld.shared.s32 %r1, " + above + "; ld.shared.s32 %r2, [%a+-4]; ld.shared.s32 %r3, " +
         between +
         "; ld.shared.s32 %r4, [%a]; add.s32 %r3, %r3, %r4; add.s32 %r1, %r1, -3;"
         "max.s32 %r1, %r1, %r2; max.s32 %r1, %r1, %r3; st.shared.s32 [%a], %r1;";
}

bool takes_turns(const std::string& text) {
  const auto plan = describe_plan(module_of(text), "k", {32}, gangs_of(16));
  REQUIRE(plan);
  return plan->find("serialised: a few threads") != std::string::npos;
}

void compare(const std::string& text) {
  std::vector<std::uint32_t> in(4096);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = (i * 2654435761u) >> 24;
  for (const unsigned lanes : {16u, 32u, 64u}) {
    LoadedModule module(text, gangs_of(lanes));
    REQUIRE(module.kernel("k").facts.gang_lanes == lanes);
    for (const std::uint32_t block : {64u, 40u, 32u, 16u}) {
      std::vector<std::uint32_t> found(4096), expected(4096);
      module.thread_by_thread = false;
      module.run("k", {2}, {block}, in.data(), found.data());
      module.thread_by_thread = true;
      module.run("k", {2}, {block}, in.data(), expected.data());
      CHECK_MESSAGE(found == expected, lanes << " lanes, block " << block);
    }
  }
}

}  // namespace

TEST_CASE("diagonals of a table are gone through thread by thread") {
  for (const unsigned side : {9u, 16u, 17u, 33u, 63u}) {
    const std::string text = kernel(side, on_diagonal(side), from_neighbours(side));
    CHECK(takes_turns(text));
    compare(text);
  }
}

TEST_CASE("the plan counts turns and not the gathers of the step that is everybody's") {
  const std::string text = kernel(17, on_diagonal(17), from_neighbours(17));
  const auto plan = describe_plan(module_of(text), "k", {32}, gangs_of(16));
  REQUIRE(plan);
  const std::size_t costs = plan->find("what costs most");
  REQUIRE_MESSAGE(costs != std::string::npos, *plan);
  CHECK_MESSAGE(plan->find("serialised block: some threads", costs) != std::string::npos, *plan);
  CHECK_MESSAGE(plan->find("gathers", costs) == std::string::npos, *plan);
}

TEST_CASE("rows of neighbours, divisions and turns that are always the same stay vectors") {
  // The number of the step instead of the row: neighbours are side by side.
  CHECK(!takes_turns(kernel(32, "mov.u32 %y, %d; setp.gt.u32 %z, %t, %d;", from_neighbours(32))));
  CHECK(!takes_turns(kernel(17, on_diagonal(17),
                            "ld.shared.f32 %f0, [%a+-68]; ld.shared.f32 %f1, [%a+-4];"
                            "div.rn.f32 %f0, %f0, %f1; st.shared.f32 [%a], %f0;")));
  CHECK(!takes_turns(kernel(32, "setp.gt.u32 %z, %t, 5;", from_neighbours(32))));
}
