// SPDX-License-Identifier: MIT
// Inner branches first: what they share, outer ones may share again.

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "cpu/simt/branches/branch_passes.h"

namespace pycuda::cpu::simt {
namespace {

/// Operations that a thread may compute for the way that it does not go.
constexpr unsigned most_operations = 4;

using Chain = llvm::SmallSetVector<llvm::Instruction*, most_operations>;

/// Adds what `value` is computed from in `block`. Whether that is little, and anyone may compute
/// it.
bool add_sources(llvm::Value* value, const llvm::BasicBlock& block, Chain& chain) {
  auto* operation = llvm::dyn_cast<llvm::Instruction>(value);
  if (!operation || operation->getParent() != &block || chain.contains(operation)) return true;
  if (llvm::isa<llvm::PHINode>(operation) || operation->mayReadOrWriteMemory() ||
      operation->getOpcode() == llvm::Instruction::FDiv ||
      !llvm::isSafeToSpeculativelyExecute(operation))
    return false;
  for (llvm::Use& operand : operation->operands()) {
    if (!add_sources(operand.get(), block, chain)) return false;
  }
  chain.insert(operation);  // after what it is computed from
  return chain.size() <= most_operations;
}

/// A division by `divisor` in `block`, which is known before it, of a numerator that may be
/// computed before it too; null if there is none.
llvm::Instruction* division_in(llvm::BasicBlock& block, const llvm::Value& divisor, Chain& chain) {
  const auto* source = llvm::dyn_cast<llvm::Instruction>(&divisor);
  if (source && source->getParent() == &block) return nullptr;
  for (llvm::Instruction& instruction : block) {
    if (instruction.getOpcode() != llvm::Instruction::FDiv || instruction.getOperand(1) != &divisor)
      continue;
    chain.clear();
    if (add_sources(instruction.getOperand(0), block, chain)) return &instruction;
  }
  return nullptr;
}

bool share_one(llvm::BasicBlock& block) {
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (!branch || branch->isUnconditional() || !llvm::isa<llvm::FCmpInst>(branch->getCondition()))
    return false;
  llvm::BasicBlock* ways[] = {branch->getSuccessor(0), branch->getSuccessor(1)};
  if (ways[0] == ways[1] || ways[0]->getSinglePredecessor() != &block ||
      ways[1]->getSinglePredecessor() != &block)
    return false;
  for (llvm::Instruction& candidate : *ways[0]) {
    if (candidate.getOpcode() != llvm::Instruction::FDiv) continue;
    const llvm::Value& divisor = *candidate.getOperand(1);
    Chain chains[2];
    llvm::Instruction* divisions[] = {division_in(*ways[0], divisor, chains[0]),
                                      division_in(*ways[1], divisor, chains[1])};
    if (!divisions[0] || !divisions[1]) continue;
    for (const Chain& chain : chains) {
      for (llvm::Instruction* operation : chain) operation->moveBefore(branch);
    }
    llvm::IRBuilder<> b(branch);
    llvm::Value* numerator = b.CreateSelect(branch->getCondition(), divisions[0]->getOperand(0),
                                            divisions[1]->getOperand(0));
    llvm::Value* quotient = b.CreateFDiv(numerator, divisions[0]->getOperand(1));
    for (llvm::Instruction* division : divisions) {
      division->replaceAllUsesWith(quotient);
      division->eraseFromParent();
    }
    return true;
  }
  return false;
}

}  // namespace

unsigned share_divisions(llvm::Function& function) {
  unsigned shared = 0;
  for (bool again = true; again;) {
    again = false;
    for (llvm::BasicBlock& block : function) {
      while (share_one(block)) {
        ++shared;
        again = true;
      }
    }
  }
  return shared;
}

}  // namespace pycuda::cpu::simt
