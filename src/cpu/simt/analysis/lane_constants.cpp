// SPDX-License-Identifier: MIT
#include "cpu/simt/analysis/lane_constants.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Instructions.h>

#include <utility>

#include "cpu/simt/analysis/special_values.h"
#include "cpu/simt/analysis/warp_sites.h"

namespace pycuda::cpu::simt {
namespace {

constexpr unsigned most_steps = 16;

}  // namespace

LaneConstants::Lanes LaneConstants::compute(const llvm::Value& value, unsigned depth) {
  if (!value.getType()->isIntegerTy()) return {};
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&value))
    return Lanes(warp_lanes, const_cast<llvm::ConstantInt*>(constant));
  if (special_register(&value) == "laneid") {
    Lanes lanes;
    for (unsigned lane = 0; lane < warp_lanes; ++lane)
      lanes.push_back(llvm::ConstantInt::get(value.getType(), lane));
    return lanes;
  }
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (instruction == nullptr || depth == most_steps ||
      !llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::CmpInst, llvm::SelectInst>(value))
    return {};
  std::vector<Lanes> operands;
  for (const llvm::Use& operand : instruction->operands()) {
    // A copy: what is kept moves when more is.
    operands.push_back(fold(*operand.get(), depth + 1));
    if (operands.back().empty()) return {};
  }
  Lanes lanes;
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    llvm::SmallVector<llvm::Constant*, 3> of_lane;
    for (const Lanes& operand : operands) of_lane.push_back(operand[lane]);
    auto* result = llvm::dyn_cast_or_null<llvm::ConstantInt>(llvm::ConstantFoldInstOperands(
        const_cast<llvm::Instruction*>(instruction), of_lane, instruction->getDataLayout()));
    if (result == nullptr) return {};
    lanes.push_back(result);
  }
  return lanes;
}

const LaneConstants::Lanes& LaneConstants::fold(const llvm::Value& value, unsigned depth) {
  const auto found = known_.find(&value);
  if (found != known_.end()) return found->second;
  Lanes lanes = compute(value, depth);
  return known_[&value] = std::move(lanes);
}

std::vector<std::uint64_t> LaneConstants::of(const llvm::Value& value) {
  if (!value.getType()->isIntegerTy() || value.getType()->getIntegerBitWidth() > 64) return {};
  std::vector<std::uint64_t> numbers;
  for (const llvm::Constant* lane : fold(value, 0))
    numbers.push_back(llvm::cast<llvm::ConstantInt>(lane)->getZExtValue());
  return numbers;
}

}  // namespace pycuda::cpu::simt
