// SPDX-License-Identifier: MIT
#include "cpu/libdevice/special_cases.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Module.h>

#include <utility>

namespace pycuda::cpu::libdevice {

SpecialCases::SpecialCases(llvm::Instruction& result, const llvm::DominatorTree& dominators,
                           const llvm::Value* passed_on, MayCompare may_compare)
    : result_(result),
      start_(result.getParent()),
      passed_on_(passed_on),
      may_compare_(std::move(may_compare)) {
  if (!llvm::isa<llvm::PHINode>(result)) return;
  const auto* node = dominators.getNode(start_);
  start_ = node != nullptr && node->getIDom() != nullptr ? node->getIDom()->getBlock() : nullptr;
}

llvm::Constant* SpecialCases::result_of(
    const llvm::DenseMap<const llvm::Value*, llvm::Constant*>& given) {
  known_ = given;
  came_from_.clear();
  passed_.clear();
  passed_.insert(passed_on_);
  return walk() ? value_of(&result_, 0) : nullptr;
}

bool SpecialCases::walk() {
  constexpr unsigned most_blocks = 24;
  llvm::BasicBlock* block = start_;
  for (unsigned steps = 0; block != nullptr && steps < most_blocks; ++steps) {
    if (block == result_.getParent()) return true;
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (branch == nullptr) return false;
    llvm::BasicBlock* next = branch->getSuccessor(0);
    if (branch->isConditional()) {
      const auto* yes =
          llvm::dyn_cast_or_null<llvm::ConstantInt>(value_of(branch->getCondition(), 0));
      if (yes == nullptr) return false;
      if (yes->isZero()) next = branch->getSuccessor(1);
    }
    if (!came_from_.try_emplace(next, block).second) return false;
    block = next;
  }
  return false;
}

llvm::Constant* SpecialCases::value_of(llvm::Value* value, unsigned depth) {
  constexpr unsigned deepest = 48;
  if (const auto found = known_.find(value); found != known_.end()) return found->second;
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(value)) return constant;
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || depth == deepest) return nullptr;
  llvm::Constant* result = nullptr;
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) {
    llvm::BasicBlock* from = came_from_.lookup(phi->getParent());
    if (from != nullptr) {
      llvm::Value* incoming = phi->getIncomingValueForBlock(from);
      result = value_of(incoming, depth + 1);
      if (passed_.contains(incoming)) passed_.insert(value);
    }
  } else {
    result = operation(*instruction, depth);
  }
  if (result != nullptr) known_[value] = result;
  return result;
}

llvm::Constant* SpecialCases::operation(llvm::Instruction& instruction, unsigned depth) {
  if (instruction.mayReadOrWriteMemory() || instruction.isTerminator()) return nullptr;
  if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
    const auto* yes =
        llvm::dyn_cast_or_null<llvm::ConstantInt>(value_of(choice->getCondition(), depth + 1));
    if (yes == nullptr) return nullptr;
    llvm::Value* chosen = yes->isZero() ? choice->getFalseValue() : choice->getTrueValue();
    llvm::Constant* result = value_of(chosen, depth + 1);
    if (passed_.contains(chosen)) passed_.insert(choice);
    return result;
  }
  llvm::SmallVector<llvm::Constant*, 4> operands;
  for (llvm::Value* operand : instruction.operands()) {
    llvm::Constant* constant = llvm::isa<llvm::Function>(operand)
                                   ? llvm::cast<llvm::Constant>(operand)
                                   : value_of(operand, depth + 1);
    if (constant == nullptr) return nullptr;
    operands.push_back(constant);
  }
  const llvm::DataLayout& layout = instruction.getModule()->getDataLayout();
  const bool has_passed = llvm::any_of(
      instruction.operands(), [&](const llvm::Use& use) { return passed_.contains(use.get()); });
  const auto* comparison = llvm::dyn_cast<llvm::FCmpInst>(&instruction);
  if (llvm::isa<llvm::ICmpInst>(instruction)) return nullptr;
  if (comparison != nullptr && comparison->getPredicate() != llvm::CmpInst::FCMP_UNO &&
      comparison->getPredicate() != llvm::CmpInst::FCMP_ORD &&
      (has_passed || !may_compare_(*comparison)))
    return nullptr;
  if (has_passed && comparison == nullptr) {
    if (!llvm::isa<llvm::BitCastInst>(instruction) &&
        instruction.getOpcode() != llvm::Instruction::FNeg)
      return nullptr;
    passed_.insert(&instruction);
  }
  if (comparison != nullptr)
    return llvm::ConstantFoldCompareInstOperands(comparison->getPredicate(), operands[0],
                                                 operands[1], layout);
  return llvm::ConstantFoldInstOperands(&instruction, operands, layout);
}

}  // namespace pycuda::cpu::libdevice
