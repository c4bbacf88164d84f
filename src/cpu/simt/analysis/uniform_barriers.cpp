// SPDX-License-Identifier: MIT
// Values that differ from gang to gang, the branches that depend on them, and what lies between
// such a branch and the place where all its ways meet again.
#include "cpu/simt/analysis/uniform_barriers.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <vector>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/special_values.h"

namespace pycuda::cpu::simt {

namespace pseudo = lower::pseudo;

namespace {

using Blocks = std::vector<const llvm::BasicBlock*>;

/// Control flow without the ways that end in a fault: these end the whole block's run.
class LiveFlow {
 public:
  explicit LiveFlow(const llvm::Function& function) {
    for (const llvm::BasicBlock* block : llvm::post_order(&function)) {
      numbers_[block] = static_cast<unsigned>(blocks_.size());
      blocks_.push_back(block);
      if (!llvm::isa<llvm::ReturnInst>(block->getTerminator())) continue;
      for (const llvm::BasicBlock* before : llvm::inverse_depth_first(block)) live_.insert(before);
    }
    find_meetings();
  }

  Blocks next(const llvm::BasicBlock& block) const {
    Blocks found;
    for (const llvm::BasicBlock* successor : llvm::successors(&block)) {
      if (live_.contains(successor)) found.push_back(successor);
    }
    return found;
  }

  /// The blocks on the ways from the end of `block` to where they meet, and that place itself, the
  /// last; null if they do not meet before the end.
  Blocks until_meeting(const llvm::BasicBlock& block) const {
    const llvm::BitVector& behind = behind_[numbers_.lookup(&block)];
    llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
    const llvm::BasicBlock* meeting = nullptr;
    Blocks pending = next(block), found;
    while (!pending.empty()) {
      const llvm::BasicBlock* current = pending.back();
      pending.pop_back();
      if (current != &block && behind.test(numbers_.lookup(current))) {
        meeting = current;
        continue;
      }
      if (!seen.insert(current).second) continue;
      found.push_back(current);
      const Blocks more = next(*current);
      pending.insert(pending.end(), more.begin(), more.end());
    }
    found.push_back(meeting);
    return found;
  }

 private:
  /// For each block, itself and all that every way from it to the end leads through.
  void find_meetings() {
    const auto count = static_cast<unsigned>(blocks_.size());
    behind_.assign(count, llvm::BitVector(count, true));
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned i = 0; i < count; ++i) {
        llvm::BitVector common(count, true);
        const Blocks after = next(*blocks_[i]);
        if (after.empty()) common.reset();
        for (const llvm::BasicBlock* successor : after)
          common &= behind_[numbers_.lookup(successor)];
        common.set(i);
        if (common == behind_[i]) continue;
        behind_[i] = std::move(common);
        changed = true;
      }
    }
  }

  Blocks blocks_;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> numbers_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> live_;  ///< what a return can be reached from
  std::vector<llvm::BitVector> behind_;
};

/// What a whole block has one value of.
bool is_of_block(const llvm::Instruction& instruction) {
  if (const llvm::StringRef name = special_register(&instruction); !name.empty())
    return name.starts_with("ntid.") || name.starts_with("nctaid.") || name.starts_with("ctaid.");
  const llvm::StringRef name = lower::callee_name(instruction);
  return name == pseudo::params || name == pseudo::shared_base ||
         name == pseudo::dynamic_shared_offset;
}

bool is_wait(const llvm::Instruction& instruction) {
  const llvm::StringRef name = lower::callee_name(instruction);
  return name == pseudo::barrier_sync || name == gang_pause;
}

class Agreement {
 public:
  explicit Agreement(const llvm::Function& gang) : gang_(gang), flow_(gang) {}

  bool holds() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const llvm::Instruction& instruction : llvm::instructions(gang_)) {
        if (instruction.getType()->isVoidTy() || differs_.contains(&instruction)) continue;
        if (makes_difference(instruction)) changed |= differs_.insert(&instruction).second;
      }
      for (const llvm::BasicBlock& block : gang_) {
        if (parting_.contains(&block) || !parts(block)) continue;
        parting_.insert(&block);
        changed = true;
        if (!part_at(block)) return false;
      }
    }
    return true;
  }

 private:
  bool is_same(const llvm::Value* value) const {
    if (llvm::isa<llvm::UndefValue>(value)) return false;
    return !llvm::isa<llvm::Instruction>(value) || !differs_.contains(value);
  }

  bool makes_difference(const llvm::Instruction& instruction) const {
    if (is_of_block(instruction)) return false;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      if (!load->isSimple() || !load->hasMetadata(llvm::LLVMContext::MD_invariant_load))
        return true;
    } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      if (!llvm::isa<llvm::IntrinsicInst>(call) || !call->doesNotAccessMemory()) return true;
    } else if (instruction.mayReadOrWriteMemory() || llvm::isa<llvm::AllocaInst>(instruction)) {
      return true;
    }
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const auto operands = call ? call->args() : instruction.operands();
    return std::any_of(operands.begin(), operands.end(), [&](const llvm::Use& use) {
      return !llvm::isa<llvm::BasicBlock>(use.get()) && !is_same(use.get());
    });
  }

  /// Whether gangs may leave `block` by different ways.
  bool parts(const llvm::BasicBlock& block) const {
    const llvm::Instruction* end = block.getTerminator();
    const llvm::Value* condition = nullptr;
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(end))
      condition = branch->isConditional() ? branch->getCondition() : nullptr;
    if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(end))
      condition = choice->getCondition();
    return condition != nullptr && !is_same(condition) && flow_.next(block).size() > 1;
  }

  /// False if gangs that part there may come to different barriers, or to different numbers of
  /// them. Otherwise what they bring along differs.
  bool part_at(const llvm::BasicBlock& block) {
    const Blocks ways = flow_.until_meeting(block);
    if (ways.back() == nullptr) return false;
    for (const llvm::BasicBlock* between : ways) {
      const bool meets = between == ways.back();
      for (const llvm::Instruction& instruction : *between) {
        if (llvm::isa<llvm::PHINode>(instruction)) differs_.insert(&instruction);
        if (!meets && is_wait(instruction)) return false;
      }
    }
    return true;
  }

  const llvm::Function& gang_;
  const LiveFlow flow_;
  llvm::SmallPtrSet<const llvm::Value*, 32> differs_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> parting_;
};

}  // namespace

bool has_uniform_barriers(const llvm::Function& gang) { return Agreement(gang).holds(); }

}  // namespace pycuda::cpu::simt
