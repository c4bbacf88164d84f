// SPDX-License-Identifier: MIT
// From the end: what is moved is never longer than one piece.

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include "cpu/jit/finishing_passes.h"

namespace pycuda::cpu::jit {
namespace {

/// Where pieces begin. Variables stay in the entry block, and phis at their block's start.
llvm::SmallVector<llvm::Instruction*, 16> cuts_of(llvm::BasicBlock& block, unsigned most) {
  llvm::SmallVector<llvm::Instruction*, 16> cuts;
  unsigned length = 0;
  for (llvm::Instruction& instruction : block) {
    if (llvm::isa<llvm::AllocaInst>(instruction)) cuts.clear();
    if (llvm::isa<llvm::AllocaInst, llvm::PHINode>(instruction)) continue;
    if (length == most && !instruction.isTerminator()) {
      cuts.push_back(&instruction);
      length = 0;
    }
    ++length;
  }
  return cuts;
}

}  // namespace

void split_blocks(llvm::Function& function, unsigned most) {
  llvm::SmallVector<llvm::Instruction*, 64> cuts;
  for (llvm::BasicBlock& block : function) llvm::append_range(cuts, cuts_of(block, most));
  for (llvm::Instruction* cut : llvm::reverse(cuts))
    cut->getParent()->splitBasicBlock(cut->getIterator());
}

}  // namespace pycuda::cpu::jit
