// SPDX-License-Identifier: MIT
// What is known of each lane when code is compiled.
#include "cpu/simt/analysis/lane_constants.h"

#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <string>
#include <vector>

#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::LaneConstants;
using pycuda::cpu::testing::FunctionText;

namespace {

/// Of the value that `body` calls %x.
std::vector<std::uint64_t> lanes_of(const std::string& body) {
  FunctionText text(
      "declare i32 @ptx.sreg.laneid(ptr)\ndeclare i32 @ptx.sreg.tid.x(ptr)\n"
      "define void @f(ptr %thread) {\n  %lane = call i32 @ptx.sreg.laneid(ptr %thread)\n"
      "  %tid = call i32 @ptx.sreg.tid.x(ptr %thread)\n" +
      body + "  ret void\n}\n");
  LaneConstants constants;
  for (const llvm::Instruction& instruction : llvm::instructions(text.function())) {
    if (instruction.getName() == "x") return constants.of(instruction);
  }
  return {};
}

}  // namespace

TEST_CASE("what is computed from the lane's number and constants is known") {
  const std::vector<std::uint64_t> lanes = lanes_of(
      "  %a = shl i32 %lane, 3\n  %b = and i32 %a, 24\n  %c = or disjoint i32 %b, 4\n"
      "  %x = zext nneg i32 %c to i64\n");
  REQUIRE(lanes.size() == 32);
  for (unsigned lane = 0; lane < 32; ++lane) CHECK(lanes[lane] == (lane & 3) * 8 + 4);
}

TEST_CASE("a choice by the lane's number is known") {
  const std::vector<std::uint64_t> lanes =
      lanes_of("  %a = icmp ult i32 %lane, 16\n  %x = select i1 %a, i32 1, i32 %lane\n");
  REQUIRE(lanes.size() == 32);
  CHECK(lanes[3] == 1);
  CHECK(lanes[20] == 20);
}

TEST_CASE("what depends on more than the lane's number is not known") {
  CHECK(lanes_of("  %x = add i32 %lane, %tid\n").empty());
  CHECK(lanes_of("  %x = load i32, ptr %thread\n").empty());
  CHECK(lanes_of("  %x = udiv i32 1, %lane\n").empty());
}

TEST_CASE("what is known of numbers wider than 64 bits is not asked for") {
  CHECK(lanes_of("  %x = zext i32 %lane to i128\n").empty());
}
