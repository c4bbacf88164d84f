// SPDX-License-Identifier: MIT
// Liveness, backwards until nothing changes.
#include "cpu/simt/width/live_values.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

namespace pycuda::cpu::simt {
namespace {

using Live = llvm::SmallPtrSet<const llvm::Value*, 16>;

/// How much a live value counts; 0: not at all.
using Weight = unsigned (*)(const llvm::Value&);

unsigned weight_of_number(const llvm::Value& value) {
  return llvm::isa<llvm::Instruction>(value) && value.getType()->isFloatingPointTy() ? 1 : 0;
}

unsigned words_of(const llvm::Value& value) {
  const llvm::Type& type = *value.getType();
  if (!llvm::isa<llvm::Instruction>(value) || type.isIntegerTy(1)) return 0;
  return static_cast<unsigned>((type.getPrimitiveSizeInBits().getFixedValue() + 31) / 32);
}

/// What is live where `block` begins, without its phis.
Live live_before(const llvm::BasicBlock& block,
                 const llvm::DenseMap<const llvm::BasicBlock*, Live>& begins, Weight weight,
                 std::size_t& most) {
  Live live;
  std::size_t sum = 0;
  const auto add = [&](const llvm::Value* value) {
    if (const unsigned own = weight(*value); own != 0 && live.insert(value).second) sum += own;
  };
  for (const llvm::BasicBlock* next : llvm::successors(&block)) {
    if (const auto found = begins.find(next); found != begins.end())
      for (const llvm::Value* value : found->second) add(value);
    for (const llvm::PHINode& phi : next->phis()) add(phi.getIncomingValueForBlock(&block));
  }
  for (const llvm::Instruction& instruction : llvm::reverse(block)) {
    most = std::max(most, sum);
    if (live.erase(&instruction)) sum -= weight(instruction);
    if (llvm::isa<llvm::PHINode>(instruction)) continue;
    for (const llvm::Value* operand : instruction.operands()) add(operand);
  }
  return live;
}

unsigned most_live(const llvm::Function& kernel, Weight weight) {
  llvm::DenseMap<const llvm::BasicBlock*, Live> begins;
  std::size_t most = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::BasicBlock* block : llvm::post_order(&kernel)) {
      Live live = live_before(*block, begins, weight, most);
      Live& known = begins[block];
      changed |= live.size() != known.size();
      known = std::move(live);
    }
  }
  return static_cast<unsigned>(most);
}

}  // namespace

unsigned most_live_numbers(const llvm::Function& kernel) {
  return most_live(kernel, weight_of_number);
}

unsigned most_live_words(const llvm::Function& kernel) { return most_live(kernel, words_of); }

}  // namespace pycuda::cpu::simt
