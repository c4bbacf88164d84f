// SPDX-License-Identifier: MIT

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/ProfDataUtils.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstdint>
#include <optional>

#include "cpu/simt/branches/branch_passes.h"

namespace pycuda::cpu::simt {
namespace {

/// A reduction of an argument takes ten.
constexpr std::size_t most_likely_operations = 24;

/// Whether all that `block` computes may be computed whether or not it is needed, at little cost.
bool is_cheap(llvm::BasicBlock& block) {
  if (block.size() > most_likely_operations || llvm::isa<llvm::PHINode>(block.front()))
    return false;
  return llvm::all_of(block, [&](llvm::Instruction& instruction) {
    if (instruction.isTerminator()) return true;
    const unsigned code = instruction.getOpcode();
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const bool slow = code == llvm::Instruction::FDiv || code == llvm::Instruction::FRem ||
                      (call && call->getIntrinsicID() == llvm::Intrinsic::sqrt);
    return !slow && !instruction.mayReadOrWriteMemory() &&
           llvm::isSafeToSpeculativelyExecute(&instruction);
  });
}

/// A branch on how a value compares with a number.
struct Question {
  llvm::BranchInst* branch;
  llvm::FCmpInst* comparison;
  llvm::ConstantFP* number;
};

std::optional<Question> question_of(llvm::BasicBlock& block) {
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (!branch || branch->isUnconditional()) return std::nullopt;
  auto* comparison = llvm::dyn_cast<llvm::FCmpInst>(branch->getCondition());
  if (!comparison || branch->getSuccessor(0) == branch->getSuccessor(1)) return std::nullopt;
  auto* number = llvm::dyn_cast<llvm::ConstantFP>(comparison->getOperand(1));
  if (!number) return std::nullopt;
  return Question{branch, comparison, number};
}

/// Where `question` leads if what it compares is `value`.
unsigned way_of(const Question& question, llvm::ConstantFP* value) {
  llvm::Constant* answer = llvm::ConstantFoldCompareInstOperands(
      question.comparison->getPredicate(), value, question.number,
      question.branch->getFunction()->getDataLayout());
  return answer->isOneValue() ? 0 : 1;
}

/// Swaps the questions that end `first` and, where that goes unless the value is one number, the
/// block behind it.
bool ask_for_range_first(llvm::BasicBlock& first) {
  const auto for_number = question_of(first);
  if (!for_number) return false;
  const auto predicate = for_number->comparison->getPredicate();
  if (predicate != llvm::CmpInst::FCMP_OEQ && predicate != llvm::CmpInst::FCMP_UNE) return false;
  const unsigned equal = predicate == llvm::CmpInst::FCMP_OEQ ? 0 : 1;
  llvm::BasicBlock* special = for_number->branch->getSuccessor(equal);
  llvm::BasicBlock* second = for_number->branch->getSuccessor(1 - equal);
  if (second->getSinglePredecessor() != &first || !is_cheap(*second)) return false;
  const auto for_range = question_of(*second);
  if (!for_range || for_range->comparison->getOperand(0) != for_number->comparison->getOperand(0) ||
      !llvm::CmpInst::isRelational(for_range->comparison->getPredicate()))
    return false;
  const unsigned outside = way_of(*for_range, for_number->number);
  llvm::BasicBlock* beyond = for_range->branch->getSuccessor(outside);
  llvm::BasicBlock* inside = for_range->branch->getSuccessor(1 - outside);
  if (beyond == special || inside == special) return false;

  // What is left of `second` asks for the number.
  first.splice(for_number->branch->getIterator(), second, second->begin(),
               for_range->branch->getIterator());
  special->replacePhiUsesWith(&first, second);
  inside->replacePhiUsesWith(second, &first);
  for_range->branch->setCondition(for_number->comparison);
  for_range->branch->setSuccessor(equal, special);
  for_range->branch->setSuccessor(1 - equal, beyond);
  for_number->branch->setCondition(for_range->comparison);
  for_number->branch->setSuccessor(1 - outside, inside);
  for_number->branch->setSuccessor(outside, second);
  llvm::MDBuilder weights(first.getContext());
  for_number->branch->setMetadata(
      llvm::LLVMContext::MD_prof,
      outside == 1 ? weights.createLikelyBranchWeights() : weights.createUnlikelyBranchWeights());
  return true;
}

/// The successor that a branch says it nearly always takes, if any.
std::optional<unsigned> likely_way(const llvm::BranchInst& branch) {
  constexpr std::uint64_t times = 100;
  std::uint64_t yes = 0, no = 0;
  if (branch.isUnconditional() || !llvm::extractBranchWeights(branch, yes, no)) return std::nullopt;
  if (yes >= times * no) return 0;
  if (no >= times * yes) return 1;
  return std::nullopt;
}

}  // namespace

unsigned test_ranges_first(llvm::Function& function) {
  return static_cast<unsigned>(
      llvm::count_if(function, [](llvm::BasicBlock& block) { return ask_for_range_first(block); }));
}

void if_convert_likely(llvm::Function& function) {
  for (llvm::BasicBlock& block : function) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    const auto way = branch ? likely_way(*branch) : std::nullopt;
    if (!way) continue;
    llvm::BasicBlock* likely = branch->getSuccessor(*way);
    if (likely->getSinglePredecessor() != &block || !likely->getSingleSuccessor() ||
        !is_cheap(*likely))
      continue;
    block.splice(branch->getIterator(), likely, likely->begin(),
                 likely->getTerminator()->getIterator());
  }
}

Odds odds_of(const llvm::BasicBlock& block) {
  const llvm::BasicBlock* above = block.getSinglePredecessor();
  const auto* branch = above ? llvm::dyn_cast<llvm::BranchInst>(above->getTerminator()) : nullptr;
  const auto way = branch ? likely_way(*branch) : std::nullopt;
  if (!way) return Odds::Unknown;
  return branch->getSuccessor(*way) == &block ? Odds::Likely : Odds::Unlikely;
}

}  // namespace pycuda::cpu::simt
