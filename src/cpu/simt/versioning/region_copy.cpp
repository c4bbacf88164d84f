// SPDX-License-Identifier: MIT
#include "cpu/simt/versioning/region_copy.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <vector>

#include "cpu/simt/analysis/warp_sites.h"

namespace pycuda::cpu::simt {

Blocks blocks_between(llvm::BasicBlock* block, const llvm::BasicBlock* join) {
  Blocks region;
  std::vector<llvm::BasicBlock*> pending(llvm::succ_begin(block), llvm::succ_end(block));
  while (!pending.empty()) {
    llvm::BasicBlock* next = pending.back();
    pending.pop_back();
    if (next == join || !region.insert(next).second) continue;
    pending.insert(pending.end(), llvm::succ_begin(next), llvm::succ_end(next));
  }
  return region;
}

bool may_be_copied(const Blocks& region) {
  for (const llvm::BasicBlock* block : region) {
    for (const llvm::Instruction& instruction : *block) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call && (call->isConvergent() || call->cannotDuplicate()) && !counts_lanes(*call))
        return false;
    }
  }
  return true;
}

std::size_t instructions_in(const Blocks& region) {
  std::size_t count = 0;
  for (const llvm::BasicBlock* block : region) count += block->size();
  return count;
}

void demote_crossing_values(llvm::Function& function) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  std::vector<llvm::Instruction*> crossing;
  std::vector<llvm::PHINode*> phis;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::AllocaInst>(instruction) && instruction.getParent() == &entry) continue;
    const bool crosses =
        std::any_of(instruction.user_begin(), instruction.user_end(), [&](const llvm::User* user) {
          const auto* other = llvm::cast<llvm::Instruction>(user);
          return other->getParent() != instruction.getParent() || llvm::isa<llvm::PHINode>(other);
        });
    if (crosses) crossing.push_back(&instruction);
  }
  for (llvm::Instruction* instruction : crossing)
    llvm::DemoteRegToStack(*instruction, false, entry.begin());
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) phis.push_back(phi);
  }
  for (llvm::PHINode* phi : phis) llvm::DemotePHIToStack(phi, entry.begin());
}

llvm::SmallVector<llvm::BasicBlock*, 16> copy_region(llvm::Function& function, const Blocks& region,
                                                     const llvm::Twine& suffix,
                                                     llvm::ValueToValueMapTy& map) {
  llvm::SmallVector<llvm::BasicBlock*, 16> copies;
  // In the function's order: the same input gives the same code.
  std::vector<llvm::BasicBlock*> originals;
  for (llvm::BasicBlock& block : function) {
    if (region.contains(&block)) originals.push_back(&block);
  }
  for (llvm::BasicBlock* block : originals) {
    llvm::BasicBlock* copy = llvm::CloneBasicBlock(block, map, suffix, &function);
    map[block] = copy;
    copies.push_back(copy);
  }
  llvm::remapInstructionsInBlocks(copies, map);
  return copies;
}

}  // namespace pycuda::cpu::simt
