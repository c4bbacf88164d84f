// SPDX-License-Identifier: MIT
// Which code some lanes have for themselves at each step of a loop, and what it would take.

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/line_notes.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/constant_division.h"
#include "cpu/simt/analysis/slice.h"
#include "cpu/simt/per_lane/per_lane_passes.h"

namespace pycuda::cpu::simt {
namespace {

using Values = llvm::SmallSetVector<llvm::Value*, 8>;

bool has_barrier(const llvm::Loop& loop) {
  return llvm::any_of(loop.blocks(), [](const llvm::BasicBlock* block) {
    return calls(*block, lower::pseudo::barrier_sync);
  });
}

/// Whether `condition` is computed, by plain arithmetic, from what changes from trip to trip.
bool changes_by_trip(const llvm::Value* condition, const llvm::Loop& loop) {
  return find_in_slice({condition}, [&](const llvm::Instruction& source) {
    if (llvm::isa<llvm::PHINode>(source) && source.getParent() == loop.getHeader())
      return Slice::Found;
    return is_plain_arithmetic(source) || llvm::isa<llvm::CmpInst>(source) ? Slice::Through
                                                                           : Slice::Past;
  });
}

class Finder {
 public:
  Finder(const ControlFlow& flow, const Shapes& shapes, const Shapes& guesses,
         const llvm::DataLayout& layout)
      : flow_(flow), shapes_(shapes), guesses_(guesses), layout_(layout) {}

  /// Whether the lanes that run `block` are better run in turn.
  bool is_serial_block(llvm::BasicBlock& block) const {
    // Lanes find what is different for each of them in memory.
    constexpr unsigned least_accesses = 3, most_operations = 6, most_varying = 2;
    const llvm::Loop* loop = flow_.loop_of(&block);
    const llvm::BasicBlock* before = block.getSinglePredecessor();
    const auto* branch =
        before ? llvm::dyn_cast<llvm::BranchInst>(before->getTerminator()) : nullptr;
    if (!loop || !loop->contains(before) || !branch || !branch->isConditional() ||
        !block.getSingleSuccessor() || block.getSingleSuccessor() == &block)
      return false;
    if (shapes_.of(branch->getCondition()).is_uniform() ||
        !changes_by_trip(branch->getCondition(), *loop) || !has_barrier(*loop))
      return false;
    unsigned apart = 0, operations = 0;
    bool stores = false;
    for (llvm::Instruction& instruction : block) {
      if (instruction.isTerminator() || lower::is_line_note(instruction)) continue;
      if (!llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) {
        if (!is_cheap(instruction) || is_used_outside(instruction)) return false;
        ++operations;
        continue;
      }
      if (!is_in_shared(instruction) || is_used_outside(instruction)) return false;
      const Shape shape = guesses_.of(llvm::getLoadStorePointerOperand(&instruction));
      if (shape.is_uniform() && llvm::isa<llvm::LoadInst>(instruction)) continue;
      if (!lies_apart(shape, instruction)) return false;
      stores |= llvm::isa<llvm::StoreInst>(instruction);
      ++apart;
    }
    const Values operands = operands_of(block);
    const auto varying = llvm::count_if(
        operands, [&](const llvm::Value* value) { return shapes_.of(value).is_varying(); });
    return stores && apart >= least_accesses && operations <= most_operations * apart &&
           varying <= most_varying;
  }

  /// What `block` needs of others.
  static Values operands_of(const llvm::BasicBlock& block) {
    Values found;
    for (const llvm::Instruction& instruction : block) {
      if (instruction.isTerminator() || lower::is_line_note(instruction)) continue;
      for (const llvm::Use& use : instruction.operands()) {
        llvm::Value* operand = use.get();
        const auto* own = llvm::dyn_cast<llvm::Instruction>(operand);
        if ((own && own->getParent() != &block) || llvm::isa<llvm::Argument>(operand))
          found.insert(operand);
      }
    }
    return found;
  }

 private:
  static bool is_cheap(const llvm::Instruction& instruction) {
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
      switch (call->getIntrinsicID()) {
        case llvm::Intrinsic::smin:
        case llvm::Intrinsic::smax:
        case llvm::Intrinsic::umin:
        case llvm::Intrinsic::umax:
        case llvm::Intrinsic::minnum:
        case llvm::Intrinsic::maxnum:
        case llvm::Intrinsic::abs:
        case llvm::Intrinsic::fabs:
        case llvm::Intrinsic::fma:
          return true;
        default:
          return false;
      }
    }
    if (instruction.getOpcode() == llvm::Instruction::FDiv || divides(instruction) ||
        instruction.getOpcode() == llvm::Instruction::FRem)
      return false;
    return llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst, llvm::CmpInst,
                     llvm::SelectInst, llvm::FreezeInst, llvm::GetElementPtrInst>(instruction);
  }

  static bool is_used_outside(const llvm::Instruction& instruction) {
    return instruction.isUsedOutsideOfBlock(instruction.getParent());
  }

  static bool is_in_shared(const llvm::Instruction& access) {
    if (access.isVolatile() || access.isAtomic()) return false;
    llvm::SmallVector<const llvm::Value*, 4> objects;
    llvm::getUnderlyingObjects(llvm::getLoadStorePointerOperand(&access), objects);
    return llvm::all_of(objects, [](const llvm::Value* object) {
      return lower::callee_name(*object) == lower::pseudo::shared_base;
    });
  }

  bool lies_apart(const Shape& shape, llvm::Instruction& access) const {
    const std::uint64_t bytes =
        layout_.getTypeStoreSize(llvm::getLoadStoreType(&access)).getFixedValue();
    if (bytes < 4 || shape.is_uniform()) return false;
    return shape.is_varying() || static_cast<std::uint64_t>(std::abs(shape.stride)) > 2 * bytes;
  }

  const ControlFlow& flow_;
  const Shapes& shapes_;
  const Shapes& guesses_;
  const llvm::DataLayout& layout_;
};

void move_out(llvm::BasicBlock& block) {
  const Values operands = Finder::operands_of(block);
  llvm::Module& module = *block.getModule();
  llvm::Function* own = make_lane_function(module, operands.getArrayRef(), "turn");
  llvm::ValueToValueMapTy map;
  for (unsigned i = 0; i < operands.size(); ++i) map[operands[i]] = own->getArg(i);
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(module.getContext(), "entry", own);
  std::vector<llvm::Instruction*> moved;
  for (llvm::Instruction& instruction : block) {
    if (instruction.isTerminator() || lower::is_line_note(instruction)) continue;
    llvm::Instruction* copy = instruction.clone();
    copy->insertInto(entry, entry->end());
    map[&instruction] = copy;
    moved.push_back(&instruction);
  }
  llvm::IRBuilder<> b(entry);
  b.CreateRetVoid();
  llvm::remapInstructionsInBlocks({entry}, map);
  b.SetInsertPoint(block.getTerminator());
  llvm::CallInst* call = b.CreateCall(own, operands.getArrayRef());
  call->setDoesNotThrow();
  call->setDebugLoc(moved.back()->getDebugLoc());
  for (llvm::Instruction* instruction : llvm::reverse(moved)) {
    // Notes of lines may need an address.
    if (instruction->use_empty()) instruction->eraseFromParent();
  }
}

}  // namespace

bool serialise_blocks(llvm::Function& function, GangSize size) {
  if (size.is_tile()) return false;
  ControlFlow flow(function), guessed_flow(function);
  const Shapes shapes(function, flow, size);
  const Shapes guesses(function, guessed_flow, size, true);
  const Finder finder(flow, shapes, guesses, function.getDataLayout());
  std::vector<llvm::BasicBlock*> turns;
  for (llvm::BasicBlock* block : flow.order()) {
    if (finder.is_serial_block(*block)) turns.push_back(block);
  }
  for (llvm::BasicBlock* block : turns) move_out(*block);
  return !turns.empty();
}

}  // namespace pycuda::cpu::simt
