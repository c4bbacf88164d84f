// SPDX-License-Identifier: MIT

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <cstdint>
#include <vector>

#include "cpu/simt/numbers/number_passes.h"
#include "cpu/target/native_operations.h"

namespace pycuda::cpu::simt {
namespace {

using llvm::Instruction;
using llvm::Value;
using namespace llvm::PatternMatch;

/// A branch and code of its own cost more than so many repairs where they stand.
constexpr std::size_t fewest_repairs = 3;
constexpr std::uint32_t least_normal = 0x00800000, magnitude_bits = 0x7fffffff;

/// select(toward_zero == 0, toward_zero, rounded), as approximate.cpp writes it.
struct Repair {
  llvm::SelectInst* select = nullptr;
  Value* rounded = nullptr;
  llvm::SmallVector<Instruction*, 2> parts = {};  ///< the comparison and the sum toward zero
};

bool is_sum_toward_zero(const Value* value) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(value);
  return call && target::is_native(*call, target::NativeOperation::SumTowardZero);
}

bool matches(Instruction& instruction, Repair& repair) {
  auto* const select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
  if (select == nullptr || !select->getType()->isVectorTy()) return false;
  auto* const compare = llvm::dyn_cast<llvm::FCmpInst>(select->getCondition());
  if (compare == nullptr || !compare->getType()->isVectorTy() ||
      !match(compare->getOperand(1), m_AnyZeroFP()))
    return false;
  const auto predicate = compare->getPredicate();
  const bool equal = predicate == llvm::CmpInst::FCMP_OEQ;
  if (!equal && predicate != llvm::CmpInst::FCMP_UNE) return false;
  Value* const toward_zero = equal ? select->getTrueValue() : select->getFalseValue();
  if (compare->getOperand(0) != toward_zero || !is_sum_toward_zero(toward_zero)) return false;
  repair.select = select;
  repair.rounded = equal ? select->getFalseValue() : select->getTrueValue();
  repair.parts = {llvm::cast<Instruction>(toward_zero), compare};
  return true;
}

/// Instructions of one block that may be computed twice, from a repair up to what must not see a
/// wrong value.
struct Run {
  std::vector<Repair> repairs;
  llvm::SmallSetVector<Instruction*, 32> later;  ///< what is computed again, in order
  Instruction* end = nullptr;                    ///< the first one that is not part of it
};

/// And with a value that is wrong: no division that could trap.
bool may_be_computed_twice(const Instruction& instruction) {
  return !instruction.isIntDivRem() && !instruction.isTerminator() &&
         !instruction.mayReadOrWriteMemory() && !instruction.mayHaveSideEffects() &&
         !llvm::isa<llvm::PHINode>(instruction) && !llvm::isa<llvm::AllocaInst>(instruction) &&
         !instruction.getType()->isTokenTy();
}

bool uses_any(const Instruction& instruction, const Run& run) {
  for (const llvm::Use& operand : instruction.operands()) {
    auto* const used = llvm::dyn_cast<Instruction>(operand.get());
    if (used != nullptr && run.later.contains(used)) return true;
  }
  return false;
}

/// The next run of `block` from `from` on; without repairs if there is none.
Run next_run(llvm::BasicBlock& block, llvm::BasicBlock::iterator from) {
  Run run;
  for (auto it = from; it != block.end(); ++it) {
    Instruction& instruction = *it;
    run.end = &instruction;
    const bool depends = uses_any(instruction, run);
    if (depends && !may_be_computed_twice(instruction)) return run;
    if (instruction.isTerminator()) return run;
    // Stores that do not depend on a repair may stay where they are: nothing is loaded twice.
    Repair repair;
    if (matches(instruction, repair)) {
      run.repairs.push_back(repair);
      run.later.insert(&instruction);
    } else if (depends) {
      run.later.insert(&instruction);
    }
  }
  return run;
}

/// How far the elements of `rounded` are from the least normal number at least: 0 if one is it. In
/// 16 lanes, so that what is kept for the test takes one register.
Value* distance(llvm::IRBuilder<>& b, Value* rounded) {
  constexpr unsigned few = 16;
  unsigned lanes = llvm::cast<llvm::FixedVectorType>(rounded->getType())->getNumElements();
  llvm::Type* integers = llvm::FixedVectorType::get(b.getInt32Ty(), lanes);
  const auto constant = [&](std::uint32_t value) {
    return llvm::ConstantInt::get(integers, value);
  };
  Value* bits = b.CreateBitCast(rounded, integers);
  Value* apart = b.CreateAnd(b.CreateXor(bits, constant(least_normal)), constant(magnitude_bits));
  for (; lanes > few && lanes % 2 == 0; lanes /= 2) {
    const auto half_from = [&](unsigned lane) {
      return b.CreateShuffleVector(apart, llvm::createSequentialMask(lane, lanes / 2, 0));
    };
    apart = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, half_from(0), half_from(lanes / 2));
  }
  return apart;
}

/// Whether any number that a repair is for is the least normal one. What is kept for that is
/// computed beside each of them, so that they need not live until the end of the block.
Value* any_least_normal(llvm::BasicBlock& block, const Run& run) {
  llvm::MapVector<llvm::Type*, Value*> nearest;
  for (const Repair& repair : run.repairs) {
    llvm::IRBuilder<> beside(repair.select);
    Value* apart = distance(beside, repair.rounded);
    Value*& least = nearest[apart->getType()];
    least = least == nullptr ? apart
                             : beside.CreateBinaryIntrinsic(llvm::Intrinsic::umin, least, apart);
  }
  llvm::IRBuilder<> b(&block);
  Value* any = nullptr;
  for (const auto& [type, least] : nearest) {
    const unsigned lanes = llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
    Value* hit = b.CreateICmpEQ(least, llvm::Constant::getNullValue(type));
    Value* some = b.CreateICmpNE(b.CreateBitCast(hit, b.getIntNTy(lanes)),
                                 llvm::ConstantInt::get(b.getIntNTy(lanes), 0));
    any = any == nullptr ? some : b.CreateOr(any, some);
  }
  return any;
}

/// Returns where the block goes on.
llvm::BasicBlock* put_aside(const Run& run) {
  llvm::BasicBlock* const block = run.end->getParent();
  llvm::BasicBlock* const rest = llvm::SplitBlock(block, run.end);
  llvm::BasicBlock* const again =
      llvm::BasicBlock::Create(block->getContext(), "repairs", block->getParent(), rest);
  block->getTerminator()->eraseFromParent();

  // As they stand, the repairs and what follows from them go to the other block.
  llvm::ValueToValueMapTy copies;
  llvm::IRBuilder<> there(again);
  const auto copy = [&](Instruction& instruction) {
    Instruction* made = instruction.clone();
    there.Insert(made, instruction.getName());
    llvm::RemapInstruction(made, copies,
                           llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
    copies[&instruction] = made;
  };
  std::size_t next_repair = 0;
  for (Instruction* instruction : run.later) {
    if (next_repair < run.repairs.size() && run.repairs[next_repair].select == instruction) {
      for (Instruction* part : run.repairs[next_repair].parts) {
        if (copies.count(part) == 0 && !run.later.contains(part)) copy(*part);
      }
      ++next_repair;
    }
    copy(*instruction);
  }
  there.CreateBr(rest);

  Value* any = any_least_normal(*block, run);
  llvm::IRBuilder<> b(block);
  llvm::MDBuilder weights(block->getContext());
  constexpr std::uint32_t hardly_ever = 1 << 20;
  b.CreateCondBr(any, again, rest, weights.createBranchWeights(1, hardly_ever));

  // From here on, the values are those of the block that was left.
  for (Instruction* instruction : run.later) {
    llvm::PHINode* joined = nullptr;
    for (llvm::Use& use : llvm::make_early_inc_range(instruction->uses())) {
      auto* const user = llvm::cast<Instruction>(use.getUser());
      // A phi at the head of the block itself comes from the end of a loop.
      const bool here = user->getParent() == block && !llvm::isa<llvm::PHINode>(user);
      if (here || user->getParent() == again || user == joined) continue;
      if (joined == nullptr) {
        joined = llvm::PHINode::Create(instruction->getType(), 2, "", rest->begin());
        joined->addIncoming(instruction, block);
        joined->addIncoming(copies[instruction], again);
      }
      use.set(joined);
    }
  }
  for (const Repair& repair : run.repairs) {
    repair.select->replaceAllUsesWith(repair.rounded);
    repair.select->eraseFromParent();
    for (Instruction* part : llvm::reverse(repair.parts)) {
      if (part->use_empty() && part->getParent() != again) part->eraseFromParent();
    }
  }
  return rest;
}

}  // namespace

void put_repairs_aside(llvm::Function& gang) {
  std::vector<llvm::BasicBlock*> blocks;
  for (llvm::BasicBlock& block : gang) blocks.push_back(&block);
  for (llvm::BasicBlock* block : blocks) {
    llvm::BasicBlock::iterator from = block->getFirstNonPHIOrDbg()->getIterator();
    while (from != block->end()) {
      const Run run = next_run(*block, from);
      if (run.end == nullptr) break;
      if (run.repairs.size() < fewest_repairs) {
        if (run.end->isTerminator()) break;
        from = std::next(run.end->getIterator());
        continue;
      }
      block = put_aside(run);
      from = block->getFirstNonPHIOrDbg()->getIterator();
    }
  }
}

}  // namespace pycuda::cpu::simt
