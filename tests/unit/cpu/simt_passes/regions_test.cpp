// SPDX-License-Identifier: MIT
// Where gangs keep what lives from one turn to the next.
#include "cpu/simt/blocks/regions.h"

#include <doctest/doctest.h>
#include <llvm/IR/Constants.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::Frames;
using pycuda::cpu::simt::Regions;
using pycuda::cpu::simt::split_at_barriers;
using pycuda::cpu::testing::FunctionText;

namespace {

// A counter and a vector go from turn to turn.
const std::string turns = R"(
declare void @ptx.gang.pause(ptr)
define void @f(ptr %thread) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <4 x i32> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %place = inttoptr i32 %i to ptr
  %v = load <4 x i32>, ptr %place
  %sum = add <4 x i32> %s, %v
  store <4 x i32> %sum, ptr %place
  %next = add i32 %i, 4
  call void @ptx.gang.pause(ptr %thread)
  %more = icmp slt i32 %next, 100
  br i1 %more, label %loop, label %done
done:
  ret void
})";

/// The constants by which a region multiplies its argument `number`, the least first.
std::vector<std::uint64_t> factors(const llvm::Function& region, unsigned number) {
  std::vector<std::uint64_t> found;
  for (const llvm::Instruction& instruction : llvm::instructions(region)) {
    const auto* factor = instruction.getOpcode() == llvm::Instruction::Mul
                             ? llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1))
                             : nullptr;
    if (factor && instruction.getOperand(0) == region.getArg(number))
      found.push_back(factor->getZExtValue());
  }
  std::sort(found.begin(), found.end());
  return found;
}

using Factors = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("frames together have all gangs' counters side by side, and behind them all vectors") {
  FunctionText text(turns);
  const Regions regions = split_at_barriers(text.function(), "r", Frames::Together);
  REQUIRE(regions.functions.size() == 2);
  CHECK(regions.frame_bytes == 32);
  // Found at its start and left at the pause.
  CHECK(factors(*regions.functions[1], 6) == Factors{4, 4, 16, 16});
  for (const std::uint64_t offset : factors(*regions.functions[1], 7)) CHECK(offset % 16 == 0);
}

TEST_CASE("frames apart are gangs' own: where the others' lie does not matter") {
  FunctionText text(turns);
  const Regions regions = split_at_barriers(text.function(), "r");
  CHECK(regions.frame_bytes == 32);
  CHECK(regions.functions[1]->getArg(6)->use_empty());
  CHECK(regions.functions[1]->getArg(7)->use_empty());
}
