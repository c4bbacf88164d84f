// SPDX-License-Identifier: MIT
// Which extensions are worth a check, what must come before it, and the second copy of the code.

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <algorithm>
#include <vector>

#include "cpu/simt/analysis/constant_division.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/divergence.h"
#include "cpu/simt/versioning/versioning_passes.h"

namespace pycuda::cpu::simt {
namespace {

constexpr std::int64_t small = std::int64_t{1} << 30;
/// Longer stretches of code are left as they are.
constexpr std::ptrdiff_t most_instructions = 250;
/// What is moved or computed anew for one address, at most.
constexpr std::size_t most_values = 500;
/// The copies may make a function so many times longer.
constexpr unsigned most_growth = 2;

using Casts = llvm::SmallSetVector<llvm::CastInst*, 8>;

/// Instructions of one block that are to be had twice, from the first to before the end.
struct Stretch {
  Casts extensions;
  llvm::Instruction* first = nullptr;
  llvm::Instruction* last = nullptr;
};

bool is_address_arithmetic(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::BinaryOperator>(instruction) &&
         !divides(instruction);
}

class Finder {
 public:
  Finder(const Shapes& shapes, GangSize size) : shapes_(shapes), size_(size) {}

  std::vector<Stretch> stretches_of(llvm::BasicBlock& block) {
    std::vector<Stretch> found(1);
    casts_.clear();
    for (llvm::Instruction& instruction : block) {
      if (instruction.isTerminator()) break;
      note_casts(instruction);
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call && (call->isConvergent() || call->cannotDuplicate())) {
        // Extensions from before a barrier are out of reach behind it.
        found.emplace_back();
        open_.clear();
      }
      Stretch& stretch = found.back();
      if (auto* extension = llvm::dyn_cast<llvm::CastInst>(&instruction);
          extension && may_wrap(*extension))
        open_.insert(extension);
      llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
      if (!pointer) continue;
      Casts used = casts_.lookup(pointer);
      used.remove_if([&](llvm::CastInst* cast) { return !open_.contains(cast); });
      if (used.empty()) continue;
      stretch.extensions.insert(used.begin(), used.end());
      stretch.last = &instruction;
    }
    std::erase_if(found, [&](Stretch& stretch) { return !close(stretch); });
    return found;
  }

 private:
  bool may_wrap(const llvm::CastInst& cast) const {
    const bool is_signed = llvm::isa<llvm::SExtInst>(cast);
    if (!is_signed && !llvm::isa<llvm::ZExtInst>(cast)) return false;
    const Shape from = shapes_.of(cast.getOperand(0));
    return cast.getSrcTy()->isIntegerTy(32) && shapes_.of(&cast).is_varying() && from.is_affine() &&
           from.stride < small / size_.columns &&
           from.stride > (is_signed ? -small / static_cast<std::int64_t>(size_.columns) : 0);
  }

  /// Which casts of its block `instruction`, an address or part of one, is made of. Addresses that
  /// are each the last one and a step make chains as long as the block.
  void note_casts(llvm::Instruction& instruction) {
    auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction);
    if (!cast && !is_address_arithmetic(instruction)) return;
    Casts casts;
    if (cast) casts.insert(cast);
    if (is_address_arithmetic(instruction)) {
      for (const llvm::Value* operand : instruction.operands()) {
        if (const auto found = casts_.find(operand); found != casts_.end())
          casts.insert(found->second.begin(), found->second.end());
      }
    }
    if (!casts.empty()) casts_[&instruction] = std::move(casts);
  }

  /// Drops the extensions of what cannot be computed before the stretch. False if nothing is left.
  bool close(Stretch& stretch) const {
    while (!stretch.extensions.empty()) {
      stretch.first = *std::min_element(
          stretch.extensions.begin(), stretch.extensions.end(),
          [](const llvm::CastInst* a, const llvm::CastInst* b) { return a->comesBefore(b); });
      const auto late = std::find_if(
          stretch.extensions.begin(), stretch.extensions.end(),
          [&](llvm::CastInst* cast) { return !may_precede(cast->getOperand(0), *stretch.first); });
      if (late == stretch.extensions.end())
        return std::distance(stretch.first->getIterator(), stretch.last->getIterator()) <=
               most_instructions;
      stretch.extensions.remove(*late);
    }
    return false;
  }

  static bool may_precede(const llvm::Value* value, const llvm::Instruction& place) {
    llvm::SmallSetVector<const llvm::Value*, 16> moved;
    moved.insert(value);
    for (std::size_t i = 0; i < moved.size(); ++i) {
      const auto* instruction = llvm::dyn_cast<llvm::Instruction>(moved[i]);
      if (!instruction || instruction->getParent() != place.getParent() ||
          instruction->comesBefore(&place))
        continue;
      if (moved.size() > most_values || divides(*instruction) ||
          !llvm::isa<llvm::BinaryOperator, llvm::CastInst>(instruction))
        return false;
      moved.insert(instruction->op_begin(), instruction->op_end());
    }
    return true;
  }

  const Shapes& shapes_;
  const GangSize size_;
  llvm::SmallPtrSet<llvm::CastInst*, 8> open_;  ///< those that a stretch may begin with
  llvm::DenseMap<const llvm::Value*, Casts> casts_;
};

/// Behind a stretch a value is either copy's, so that no address that follows from it is affine.
/// Blocks that access memory there compute their addresses anew instead, and have stretches of
/// their own.
class Recomputed {
 public:
  explicit Recomputed(const llvm::SmallSetVector<const llvm::Value*, 8>& extensions)
      : extensions_(extensions) {}

  /// Whether `block` has changed.
  bool run(llvm::BasicBlock& block) {
    block_ = &block;
    first_ = &*block.getFirstInsertionPt();
    copies_.clear();
    find_following();
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
      llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
      if (!pointer || !following_.contains(pointer)) continue;
      instruction.setOperand(llvm::isa<llvm::LoadInst>(instruction) ? 0 : 1, here(pointer));
    }
    return !copies_.empty();
  }

 private:
  /// What comes from an extension of another block, by arithmetic alone.
  void find_following() {
    following_.clear();
    for (const llvm::Value* extension : extensions_) {
      const auto* instruction = llvm::cast<llvm::Instruction>(extension);
      if (instruction->getParent() != block_ && is_address_arithmetic(*instruction))
        following_.insert(extension);
    }
    for (std::size_t i = 0; i < following_.size() && following_.size() < most_values; ++i) {
      for (const llvm::User* user : following_[i]->users()) {
        const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
        if (instruction && is_address_arithmetic(*instruction)) following_.insert(instruction);
      }
    }
  }

  /// `value`, which follows, computed in this block.
  llvm::Value* here(llvm::Value* value) {
    auto* instruction = llvm::cast<llvm::Instruction>(value);
    if (llvm::Value* copy = copies_.lookup(instruction)) return copy;
    llvm::Instruction* own = instruction;
    const bool is_foreign = instruction->getParent() != block_;
    if (is_foreign) own = instruction->clone();
    if (!is_foreign || !extensions_.contains(instruction)) {
      for (llvm::Use& operand : own->operands()) {
        if (following_.contains(operand.get())) operand.set(here(operand.get()));
      }
    }
    if (is_foreign) own->insertBefore(first_);
    return copies_[instruction] = own;
  }

  const llvm::SmallSetVector<const llvm::Value*, 8>& extensions_;
  llvm::SmallSetVector<const llvm::Value*, 16> following_;
  llvm::BasicBlock* block_ = nullptr;
  llvm::Instruction* first_ = nullptr;  ///< copies come before it
  llvm::DenseMap<llvm::Instruction*, llvm::Value*> copies_;
};

/// Moves what computes `value` before `place`.
void move_before(llvm::Value* value, llvm::Instruction* place) {
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || instruction->getParent() != place->getParent() ||
      instruction->comesBefore(place))
    return;
  for (llvm::Value* operand : instruction->operands()) move_before(operand, place);
  instruction->moveBefore(place);
}

void double_up(const Stretch& stretch) {
  llvm::SmallSetVector<llvm::Value*, 8> numbers;
  for (llvm::CastInst* extension : stretch.extensions) {
    move_before(extension->getOperand(0), stretch.first);
    numbers.insert(extension->getOperand(0));
  }
  llvm::BasicBlock* head = stretch.first->getParent();
  llvm::Function& function = *head->getParent();
  llvm::BasicBlock* checked = llvm::SplitBlock(head, stretch.first->getIterator());
  llvm::BasicBlock* rest = llvm::SplitBlock(checked, std::next(stretch.last->getIterator()));
  // Where a line is noted down stays an address that is seen to be one (lower::is_line_note), not
  // either of two.
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(*checked)) {
    const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
    if (address && address->hasAllConstantIndices() &&
        llvm::isa<llvm::Argument>(address->getPointerOperand()))
      instruction.moveBefore(head->getTerminator());
  }
  llvm::ValueToValueMapTy map;
  llvm::BasicBlock* unchecked = llvm::CloneBasicBlock(checked, map, ".unchecked", &function);
  unchecked->moveAfter(checked);
  llvm::remapInstructionsInBlocks({unchecked}, map);
  llvm::MDNode* mark = llvm::MDNode::get(function.getContext(), {});
  for (llvm::Instruction& instruction : *unchecked) {
    if (llvm::getLoadStorePointerOperand(&instruction))
      instruction.setMetadata(unchecked_access, mark);
  }
  llvm::IRBuilder<> b(head->getTerminator());
  llvm::FunctionCallee question = function.getParent()->getOrInsertFunction(
      gang_small, llvm::FunctionType::get(b.getInt1Ty(), {}, true));
  auto* asked = llvm::cast<llvm::Function>(question.getCallee());
  asked->setDoesNotAccessMemory();
  asked->setDoesNotThrow();
  asked->setWillReturn();
  b.CreateCondBr(b.CreateCall(question, numbers.getArrayRef()), checked, unchecked);
  head->getTerminator()->eraseFromParent();
  b.SetInsertPoint(rest, rest->begin());
  for (llvm::Instruction& instruction : *checked) {
    llvm::SmallVector<llvm::Use*, 8> outside;
    for (llvm::Use& use : instruction.uses()) {
      if (llvm::cast<llvm::Instruction>(use.getUser())->getParent() != checked)
        outside.push_back(&use);
    }
    if (outside.empty()) continue;
    llvm::PHINode* either = b.CreatePHI(instruction.getType(), 2, instruction.getName());
    either->addIncoming(&instruction, checked);
    either->addIncoming(map[&instruction], unchecked);
    for (llvm::Use* use : outside) use->set(either);
  }
}

std::vector<Stretch> find_stretches(llvm::Function& function, GangSize size) {
  std::vector<Stretch> stretches;
  ControlFlow flow(function);
  const Shapes shapes(function, flow, size);
  for (llvm::BasicBlock* block : flow.order()) {
    Finder finder(shapes, size);
    const std::vector<Stretch> found = finder.stretches_of(*block);
    stretches.insert(stretches.end(), found.begin(), found.end());
  }
  return stretches;
}

/// Whether a block has changed.
bool recompute_behind(const std::vector<Stretch>& stretches, llvm::Function& function) {
  llvm::SmallSetVector<const llvm::Value*, 8> extensions;
  for (const Stretch& stretch : stretches)
    extensions.insert(stretch.extensions.begin(), stretch.extensions.end());
  bool changed = false;
  if (extensions.empty()) return changed;
  Recomputed recomputed(extensions);
  for (llvm::BasicBlock& block : function) changed |= recomputed.run(block);
  return changed;
}

}  // namespace

void version_no_wrap(llvm::Function& function, GangSize size) {
  std::vector<Stretch> stretches = find_stretches(function, size);
  if (recompute_behind(stretches, function)) stretches = find_stretches(function, size);
  const std::size_t most = std::size_t{most_growth} * function.getInstructionCount();
  for (const Stretch& stretch : stretches) {
    const auto length = static_cast<std::size_t>(
        std::distance(stretch.first->getIterator(), stretch.last->getIterator()));
    if (function.getInstructionCount() + length <= most) double_up(stretch);
  }
}

bool is_unchecked(const llvm::Instruction& access) {
  return access.getMetadata(unchecked_access) != nullptr;
}

}  // namespace pycuda::cpu::simt
