// SPDX-License-Identifier: MIT
// Lines and files are two fields, each for itself: the file hardly ever changes.

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <cstddef>
#include <vector>

#include "cpu/kernel_abi/frames.h"
#include "cpu/simt/blocks/block_passes.h"

namespace pycuda::cpu::simt {
namespace {

/// The notes of one field of the frame.
class Field {
 public:
  Field(llvm::Function& function, std::size_t offset) : function_(function), offset_(offset) {}

  bool is_note(const llvm::Instruction& instruction) const {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (!store || !store->isVolatile() || !llvm::isa<llvm::ConstantInt>(store->getValueOperand()))
      return false;
    const auto* address = llvm::dyn_cast<llvm::GEPOperator>(store->getPointerOperand());
    if (!address || !llvm::isa<llvm::Argument>(address->getPointerOperand())) return false;
    const llvm::DataLayout& layout = function_.getDataLayout();
    llvm::APInt distance(64, 0);
    return address->accumulateConstantOffset(layout, distance) && distance == offset_;
  }

  void leave_loops(const llvm::LoopInfo& loops) {
    const auto outer_first = loops.getLoopsInPreorder();
    for (const llvm::Loop* loop : llvm::reverse(outer_first)) leave(*loop);
  }

  void drop_known() {
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
    for (bool changed = true; changed;) {
      changed = false;
      for (llvm::BasicBlock* block : order) {
        Known known = at_start(*block);
        for (const llvm::Instruction& instruction : *block) pass(instruction, known);
        Known& before = at_end_[block];
        changed |= !(before == known);
        before = known;
      }
    }
    for (llvm::BasicBlock* block : order) {
      Known known = at_start(*block);
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block)) {
        const Known before = known;
        pass(instruction, known);
        if (before == known && before.note && is_note(instruction)) instruction.eraseFromParent();
      }
    }
  }

 private:
  /// What the field holds: nobody has been here yet, this note, or (null) one of several.
  struct Known {
    bool reached = false;
    const llvm::Value* note = nullptr;
    bool operator==(const Known&) const = default;
  };

  /// Kernel code that is not inlined makes notes of its own.
  static bool is_code(const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return call && (!call->getCalledFunction() || !call->getCalledFunction()->isDeclaration());
  }

  void pass(const llvm::Instruction& instruction, Known& known) const {
    if (is_code(instruction)) known.note = nullptr;
    if (is_note(instruction))
      known.note = llvm::cast<llvm::StoreInst>(instruction).getValueOperand();
  }

  Known at_start(const llvm::BasicBlock& block) const {
    Known all;
    all.reached = &block == &function_.getEntryBlock();
    bool first = !all.reached;
    for (const llvm::BasicBlock* predecessor : llvm::predecessors(&block)) {
      const Known from = at_end_.lookup(predecessor);
      if (!from.reached) continue;
      if (first) all = from;
      if (all.note != from.note) all.note = nullptr;
      first = false;
    }
    return all;
  }

  /// What runs in the loop before the first note of a trip has one of its own in its block, or none
  /// at all; so has what runs after the loop.
  void leave(const llvm::Loop& loop) {
    llvm::BasicBlock* before = loop.getLoopPredecessor();
    if (!before) return;
    std::vector<llvm::StoreInst*> notes;
    for (llvm::BasicBlock* block : loop.blocks()) {
      for (llvm::Instruction& instruction : *block) {
        if (is_code(instruction)) return;
        if (!is_note(instruction)) continue;
        auto* store = llvm::cast<llvm::StoreInst>(&instruction);
        if (!notes.empty() && notes.front()->getValueOperand() != store->getValueOperand()) return;
        notes.push_back(store);
      }
    }
    if (notes.empty()) return;
    auto* address = llvm::cast<llvm::GEPOperator>(notes.front()->getPointerOperand());
    for (const llvm::StoreInst* note : notes) {
      if (llvm::cast<llvm::GEPOperator>(note->getPointerOperand())->getPointerOperand() !=
          address->getPointerOperand())
        return;
    }
    llvm::Instruction* note = notes.front()->clone();
    note->insertBefore(before->getTerminator());
    if (auto* place = llvm::dyn_cast<llvm::Instruction>(address)) {
      llvm::Instruction* again = place->clone();
      again->insertBefore(note);
      note->setOperand(1, again);
    }
    for (llvm::StoreInst* old : notes) old->eraseFromParent();
  }

  llvm::Function& function_;
  const std::size_t offset_;
  llvm::DenseMap<const llvm::BasicBlock*, Known> at_end_;
};

}  // namespace

void reduce_line_notes(llvm::Function& function) {
  if (function.isDeclaration()) return;
  constexpr std::size_t offsets[] = {offsetof(ThreadFrame, source_line),
                                     offsetof(ThreadFrame, source_file)};
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  for (const std::size_t offset : offsets) {
    Field field(function, offset);
    field.leave_loops(loops);
    field.drop_known();
  }
}

}  // namespace pycuda::cpu::simt
