// SPDX-License-Identifier: MIT
// Liveness, backwards until nothing changes.
#include "cpu/simt/lanes/live_numbers.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

namespace pycuda::cpu::simt {
namespace {

using Live = llvm::SmallPtrSet<const llvm::Value*, 16>;

bool is_number(const llvm::Value* value) {
  return llvm::isa<llvm::Instruction>(value) && value->getType()->isFloatingPointTy();
}

/// What is live where `block` begins, without its phis.
Live live_before(const llvm::BasicBlock& block,
                 const llvm::DenseMap<const llvm::BasicBlock*, Live>& begins, std::size_t& most) {
  Live live;
  for (const llvm::BasicBlock* next : llvm::successors(&block)) {
    if (const auto found = begins.find(next); found != begins.end())
      live.insert(found->second.begin(), found->second.end());
    for (const llvm::PHINode& phi : next->phis()) {
      const llvm::Value* value = phi.getIncomingValueForBlock(&block);
      if (is_number(value)) live.insert(value);
    }
  }
  for (const llvm::Instruction& instruction : llvm::reverse(block)) {
    most = std::max<std::size_t>(most, live.size());
    live.erase(&instruction);
    if (llvm::isa<llvm::PHINode>(instruction)) continue;
    for (const llvm::Value* operand : instruction.operands()) {
      if (is_number(operand)) live.insert(operand);
    }
  }
  return live;
}

}  // namespace

unsigned most_live_numbers(const llvm::Function& kernel) {
  llvm::DenseMap<const llvm::BasicBlock*, Live> begins;
  std::size_t most = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::BasicBlock* block : llvm::post_order(&kernel)) {
      Live live = live_before(*block, begins, most);
      Live& known = begins[block];
      changed |= live.size() != known.size();
      known = std::move(live);
    }
  }
  return static_cast<unsigned>(most);
}

}  // namespace pycuda::cpu::simt
