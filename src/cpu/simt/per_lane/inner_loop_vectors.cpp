// SPDX-License-Identifier: MIT
// The functions for rows: which loops they have, and their calls.

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <cstdlib>
#include <vector>

#include "cpu/simt/analysis/plan_traffic.h"
#include "cpu/simt/analysis/slice.h"
#include "cpu/simt/per_lane/per_lane_passes.h"
#include "cpu/simt/per_lane/rolled_loop.h"
#include "cpu/simt/per_lane/row_loop.h"

namespace pycuda::cpu::simt {
namespace {

struct OwnRow {
  const llvm::Loop* loop = nullptr;
  llvm::Function* lane = nullptr;
  llvm::SmallSetVector<llvm::Value*, 8> arguments;

  bool has(const llvm::Value* value) const {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    return instruction && loop->contains(instruction);
  }
  bool is_needed_behind(const llvm::Instruction& instruction) const {
    return llvm::any_of(instruction.users(), [&](const llvm::User* user) { return !has(user); });
  }
};

/// What a loop computes, as it is in the first trip.
class FirstTrip {
 public:
  FirstTrip(const OwnRow& row, llvm::IRBuilder<>& b) : row_(row), b_(b) {}

  llvm::Value* of(llvm::Value* value) {
    if (!row_.has(value)) return value;
    if (llvm::Value* known = made_.lookup(value)) return known;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) {
      llvm::Value* from = phi->getNumIncomingValues() == 1
                              ? phi->getIncomingValue(0)
                              : phi->getIncomingValueForBlock(row_.loop->getLoopPreheader());
      return made_[value] = of(from);
    }
    llvm::Instruction* copy = llvm::cast<llvm::Instruction>(value)->clone();
    for (llvm::Use& operand : copy->operands()) operand.set(of(operand.get()));
    if (!llvm::isa<llvm::CallInst>(copy)) copy->dropPoisonGeneratingAnnotations();
    return made_[value] = b_.Insert(copy);
  }

 private:
  const OwnRow& row_;
  llvm::IRBuilder<>& b_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> made_;
};

/// Whether `pointer` may be one of a local array, whose elements lie side by side for all lanes.
bool is_local(const llvm::Value* pointer) {
  return find_in_slice({pointer}, [](const llvm::Instruction& source) {
    if (llvm::isa<llvm::AllocaInst>(source)) return Slice::Found;
    return llvm::isa<llvm::PHINode>(source) || is_plain_arithmetic(source) ? Slice::Through
                                                                           : Slice::Past;
  });
}

/// Whether what the loop stores lies apart for each lane, and further than structures do.
bool is_apart(const llvm::Loop& loop, const Shapes& guesses) {
  constexpr std::int64_t most_parts = 8;
  bool found = false;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    const llvm::DataLayout& layout = block->getDataLayout();
    for (const llvm::Instruction& instruction : *block) {
      const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
      if (!pointer || is_beside(instruction, loop)) continue;
      if (is_local(pointer)) return false;
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (!store) continue;
      const Shape shape = guesses.of(store->getPointerOperand());
      const auto bytes = static_cast<std::int64_t>(
          layout.getTypeStoreSize(store->getValueOperand()->getType()).getFixedValue());
      if (!shape.is_varying() &&
          (!shape.is_affine() || std::abs(shape.stride) <= most_parts * bytes))
        return false;
      found = true;
    }
  }
  return found;
}

/// Whether code behind the loop needs what was read in it: read again, after all the stores, that
/// might be something else.
bool leaves_what_it_read(const OwnRow& row) {
  llvm::SmallVector<const llvm::Value*, 8> needed;
  for (const llvm::BasicBlock* block : row.loop->blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (row.is_needed_behind(instruction)) needed.push_back(&instruction);
    }
  }
  return find_in_slice(
      needed,
      [&](const llvm::Instruction& source) {
        if (!row.has(&source)) return Slice::Past;
        return llvm::isa<llvm::LoadInst>(source) ? Slice::Found : Slice::Through;
      },
      all_of_slice);
}

/// A function for one lane that has the loop as it is.
void outline(OwnRow& row) {
  const llvm::Loop& loop = *row.loop;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (is_beside(instruction, loop)) continue;
      for (llvm::Value* operand : instruction.operands()) {
        if (!row.has(operand) && llvm::isa<llvm::Instruction, llvm::Argument>(operand))
          row.arguments.insert(operand);
      }
    }
  }
  llvm::Module& module = *loop.getHeader()->getModule();
  row.lane = make_lane_function(module, row.arguments.getArrayRef(), own_row_label);
  llvm::ValueToValueMapTy map;
  for (unsigned i = 0; i < row.arguments.size(); ++i) map[row.arguments[i]] = row.lane->getArg(i);
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(module.getContext(), "entry", row.lane);
  llvm::BasicBlock* left = llvm::BasicBlock::Create(module.getContext(), "left", row.lane);
  llvm::ReturnInst::Create(module.getContext(), left);
  // Before there are copies, whose branches lead to the loop at first.
  map[loop.getLoopPreheader()] = entry;
  map[loop.getExitBlock()] = left;
  llvm::SmallVector<llvm::BasicBlock*, 4> copies;
  for (llvm::BasicBlock* old : loop.blocks()) {
    llvm::BasicBlock* copy = llvm::CloneBasicBlock(old, map, "", row.lane);
    map[old] = copy;
    for (const llvm::Instruction& instruction : *old) {
      if (is_beside(instruction, loop))
        llvm::cast<llvm::Instruction>(map[&instruction])->eraseFromParent();
    }
    copies.push_back(copy);
  }
  llvm::remapInstructionsInBlocks(copies, map);
  llvm::BranchInst::Create(llvm::cast<llvm::BasicBlock>(map[loop.getHeader()]), entry);
}

/// The call comes before the loop, of which what others use stays.
void replace(const OwnRow& row) {
  const llvm::Loop& loop = *row.loop;
  llvm::BasicBlock* before = loop.getLoopPreheader();
  llvm::IRBuilder<> b(before->getTerminator());
  FirstTrip first(row, b);
  llvm::SmallVector<llvm::StoreInst*, 8> stores;
  bool is_needed = false;
  for (llvm::BasicBlock* block : loop.blocks()) {
    for (llvm::Instruction& instruction : *block) {
      is_needed |= row.is_needed_behind(instruction);
      if (is_beside(instruction, loop))
        first.of(&instruction);
      else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
        stores.push_back(store);
    }
  }
  llvm::CallInst* call = b.CreateCall(row.lane, row.arguments.getArrayRef());
  call->setDoesNotThrow();
  call->setDebugLoc(stores.front()->getDebugLoc());
  for (llvm::StoreInst* store : stores) {
    llvm::SmallVector<llvm::WeakTrackingVH, 2> operands(store->operands());
    store->eraseFromParent();
    llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(operands);
  }
  if (is_needed) return;
  llvm::BasicBlock* exit = loop.getExitBlock();
  exit->replacePhiUsesWith(loop.getExitingBlock(), before);
  before->getTerminator()->setSuccessor(0, exit);
  const llvm::SmallVector<llvm::BasicBlock*, 4> blocks(loop.blocks());
  for (llvm::BasicBlock* block : blocks) block->dropAllReferences();
  for (llvm::BasicBlock* block : blocks) block->eraseFromParent();
}

bool is_vectorised(const llvm::BasicBlock& loop) {
  return llvm::findOptionMDForLoopID(loop.getTerminator()->getMetadata(llvm::LLVMContext::MD_loop),
                                     "llvm.loop.isvectorized") != nullptr;
}

constexpr unsigned alias_kinds[] = {llvm::LLVMContext::MD_alias_scope,
                                    llvm::LLVMContext::MD_noalias};
using Scopes = llvm::SmallPtrSet<const llvm::Metadata*, 8>;

Scopes scopes_of(const llvm::Function& function) {
  Scopes found;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    for (const unsigned kind : alias_kinds) {
      if (const llvm::MDNode* node = instruction.getMetadata(kind))
        found.insert(node->op_begin(), node->op_end());
    }
  }
  return found;
}

/// What was found out of one run of a loop does not hold for several: they become one function.
void keep_scopes(llvm::Function& function, const Scopes& kept) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    for (const unsigned kind : alias_kinds) {
      const llvm::MDNode* node = instruction.getMetadata(kind);
      if (!node) continue;
      llvm::SmallVector<llvm::Metadata*, 4> scopes;
      for (const llvm::MDOperand& scope : node->operands()) {
        if (kept.contains(scope.get())) scopes.push_back(scope.get());
      }
      instruction.setMetadata(
          kind, scopes.empty() ? nullptr : llvm::MDNode::get(function.getContext(), scopes));
    }
  }
}

void note(Plan& plan, const llvm::Loop& loop, llvm::StringRef obstacle) {
  PlanNote made = note_of(*loop.getExitingBlock()->getTerminator(), PlanNote::Kind::Branch,
                          "a row of each thread's own stays in lanes: " + obstacle.str());
  if (!llvm::is_contained(plan.notes, made)) plan.notes.push_back(std::move(made));
}

}  // namespace

bool vectorise_inner_loops(llvm::Function& function, GangSize size, std::uint64_t vector_bytes,
                           llvm::function_ref<void(llvm::Function&)> vectorise, Plan* plan) {
  std::vector<OwnRow> found;
  ControlFlow flow(function);
  const Shapes guesses(function, flow, size, true);
  for (llvm::BasicBlock* block : flow.order()) {
    if (!flow.is_header(block)) continue;
    OwnRow row;
    row.loop = flow.loop_of(block);
    if (!is_straight_loop(*row.loop) || !is_apart(*row.loop, guesses) || leaves_what_it_read(row))
      continue;
    outline(row);
    const Scopes before = scopes_of(*row.lane);
    const RolledLoop rolled = roll_loop(*row.lane, vector_bytes);
    llvm::StringRef obstacle = rolled.obstacle;
    if (obstacle.empty()) {
      vectorise(*row.lane);
      if (!is_vectorised(*rolled.main)) obstacle = "vectors of its elements gain nothing";
    }
    if (obstacle.empty()) {
      keep_scopes(*row.lane, before);
      found.push_back(std::move(row));
      continue;
    }
    row.lane->eraseFromParent();
    if (plan) note(*plan, *row.loop, obstacle);
  }
  for (const OwnRow& row : found) replace(row);
  return !found.empty();
}

}  // namespace pycuda::cpu::simt
