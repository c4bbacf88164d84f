// SPDX-License-Identifier: MIT
// Searches, whose threads walk lists of different lengths alone and store without branches.
#include <cstdint>
#include <string>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::testing::LoadedModule;

namespace {

/// A step of a breadth-first search, as nvcc has it: the end of a list is read again after a store.
const std::string search_step = R"(
.file 1 "graph.cu"
.visible .entry k(.param .u64 starts, .param .u64 edges, .param .u64 levels, .param .u64 next,
                  .param .u32 n, .param .u32 level) {
  .reg .pred %p<6>; .reg .b32 %r<20>; .reg .b64 %rd<20>;
  ld.param.u64 %rd1, [starts]; ld.param.u64 %rd2, [edges]; ld.param.u64 %rd3, [levels];
  ld.param.u64 %rd4, [next]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [level];
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.s32 %r6, %r3, %r4, %r5;
  setp.ge.s32 %p1, %r6, %r1; @%p1 bra done;
  .loc 1 66 0
  mul.wide.s32 %rd5, %r6, 4; add.s64 %rd6, %rd3, %rd5; ld.global.u32 %r7, [%rd6];
  setp.ne.s32 %p2, %r7, %r2; @%p2 bra done;
  .loc 1 67 0
  add.s64 %rd7, %rd1, %rd5; ld.global.u32 %r8, [%rd7]; ld.global.u32 %r9, [%rd7+4];
  setp.ge.s32 %p3, %r8, %r9; @%p3 bra done;
  mul.wide.s32 %rd8, %r8, 4; add.s64 %rd9, %rd2, %rd8; add.s32 %r10, %r2, 1;
loop:
  .loc 1 68 0
  ld.global.u32 %r11, [%rd9]; mul.wide.s32 %rd10, %r11, 4; add.s64 %rd11, %rd3, %rd10;
  .loc 1 69 0
  ld.global.u32 %r12, [%rd11]; setp.gt.s32 %p4, %r12, -1; @%p4 bra next_edge;
  add.s64 %rd12, %rd4, %rd10;
  .loc 1 70 0
  st.global.u32 [%rd12], %r10;
  .loc 1 67 0
  ld.global.u32 %r9, [%rd7+4];
next_edge:
  add.s32 %r8, %r8, 1; add.s64 %rd9, %rd9, 4; setp.lt.s32 %p5, %r8, %r9; @%p5 bra loop;
done: ret; })";

constexpr std::uint32_t places = 500;

struct Graph {
  std::vector<std::int32_t> starts{0}, edges, levels;

  Graph() {
    std::uint32_t state = 5;
    const auto draw = [&](std::uint32_t below) {
      state = state * 1664525u + 1013904223u;
      return static_cast<std::int32_t>((state >> 8) % below);
    };
    for (std::uint32_t i = 0; i < places; ++i) {
      for (std::int32_t many = draw(9); many > 0; --many) edges.push_back(draw(places));
      starts.push_back(static_cast<std::int32_t>(edges.size()));
      levels.push_back(draw(4) - 1);
    }
  }
};

}  // namespace

TEST_CASE("a search finds alone what it finds with branches") {
  Graph graph;
  LoadedModule module(search_step, pycuda::cpu::testing::vectors(true));
  CHECK(module.kernel("k").facts.gang_lanes == 0);
  std::vector<std::int32_t> found(places, -7), expected(places, -7);
  for (std::uint32_t i = 0; i < places; ++i) {
    if (graph.levels[i] != 1) continue;
    for (std::int32_t edge = graph.starts[i]; edge < graph.starts[i + 1]; ++edge) {
      const auto to = static_cast<std::uint32_t>(graph.edges[static_cast<std::uint32_t>(edge)]);
      if (graph.levels[to] < 0) expected[to] = 2;
    }
  }
  module.run("k", {4}, {128}, graph.starts.data(), graph.edges.data(), graph.levels.data(),
             found.data(), places, 1);
  CHECK(found == expected);
}

TEST_CASE("a list that a search cuts short ends there") {
  // What is stored is where the lists end.
  Graph graph;
  graph.levels.assign(places, 1);
  graph.levels[1] = -1;
  graph.starts.assign(places + 1, 12);
  graph.starts[0] = 0;
  graph.edges.assign(places, 1);
  LoadedModule module(search_step, pycuda::cpu::testing::vectors(true));
  const std::vector<std::int32_t> before = graph.starts;
  module.run("k", {1}, {1}, graph.starts.data(), graph.edges.data(), graph.levels.data(),
             graph.starts.data(), places, 1);
  CHECK(graph.starts[0] == 0);
  CHECK(graph.starts[1] == 2);
  CHECK(graph.starts[2] == before[2]);
}

TEST_CASE("a search goes astray where it stores, and only then") {
  Graph graph;
  LoadedModule module(search_step, pycuda::cpu::testing::vectors(true));
  const auto fault_of = [&](std::uint64_t next) {
    return module.fault_of("k", {4}, {128}, graph.starts.data(), graph.edges.data(),
                           graph.levels.data(), next, places, 1);
  };
  const auto fault = fault_of(4096);
  REQUIRE(fault.has_value());
  CHECK_MESSAGE(fault->message.find("graph.cu:70") != std::string::npos, fault->message);
  for (std::int32_t& level : graph.levels) level = level < 0 ? 0 : level;
  CHECK_FALSE(fault_of(4096).has_value());
}
