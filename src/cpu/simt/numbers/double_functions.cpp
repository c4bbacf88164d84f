// SPDX-License-Identifier: MIT

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Support/KnownBits.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include <utility>
#include <vector>

#include "cpu/libdevice/double_patterns.h"
#include "cpu/simt/numbers/number_passes.h"

namespace pycuda::cpu::simt {
namespace {

using namespace llvm::PatternMatch;

/// The bits of 2^-1022, the least normal number, and of 2^1022, from where on reciprocals may be
/// subnormal.
constexpr std::uint64_t least = 0x0010000000000000, too_large = 0x7fd0000000000000;

/// Whether `x` is 1 and more, by what is known of the bits that it is made of.
bool is_moderate(llvm::Value* x) {
  llvm::Value* bits = nullptr;
  if (!match(x, m_c_FAdd(m_BitCast(m_Value(bits)), m_FPOne())) || !bits->getType()->isIntegerTy(64))
    return false;
  const auto* sum = llvm::cast<llvm::Instruction>(x);
  const llvm::KnownBits known = llvm::computeKnownBits(bits, sum->getDataLayout());
  return known.getMaxValue().ult(too_large);
}

/// The block that computes `refined`, from its seed on, runs where `x` is out of range.
void guard(llvm::IntrinsicInst& refined, llvm::Value* x) {
  llvm::IRBuilder<> b(&refined);
  llvm::Value* magnitude = b.CreateAnd(b.CreateBitCast(x, b.getInt64Ty()), 0x7fffffffffffffff);
  llvm::Value* unusual =
      b.CreateICmpUGE(b.CreateSub(magnitude, b.getInt64(least)), b.getInt64(too_large - least));
  llvm::Value* quotient = b.CreateFDiv(llvm::ConstantFP::get(x->getType(), 1), x);
  llvm::BasicBlock* before = refined.getParent();
  llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(
      unusual, refined.getIterator(), false,
      llvm::MDBuilder(b.getContext()).createUnlikelyBranchWeights());
  b.SetInsertPoint(&refined);
  llvm::PHINode* result = b.CreatePHI(x->getType(), 2);
  refined.replaceAllUsesWith(result);
  result->addIncoming(quotient, before);
  result->addIncoming(&refined, end->getParent());
  refined.moveBefore(end);
  // What it is made of moves along if nobody else needs it, the last step first.
  llvm::Instruction* first = &refined;
  for (llvm::Instruction* step = before->getTerminator()->getPrevNode(); step;) {
    llvm::Instruction* previous = step->getPrevNode();
    const bool is_private =
        !step->use_empty() && !step->mayReadOrWriteMemory() && !llvm::isa<llvm::PHINode>(step) &&
        llvm::all_of(step->users(), [&](const llvm::User* user) {
          return llvm::cast<llvm::Instruction>(user)->getParent() == end->getParent();
        });
    if (is_private) {
      step->moveBefore(first);
      first = step;
    }
    step = previous;
  }
}

}  // namespace

unsigned divide_for_reciprocals(llvm::Function& function) {
  std::vector<std::pair<llvm::IntrinsicInst*, llvm::Value*>> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* sum = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!sum || sum->getIntrinsicID() != llvm::Intrinsic::fma || !sum->getType()->isDoubleTy())
      continue;
    if (llvm::Value* x = libdevice::refined_reciprocal_of(sum)) found.emplace_back(sum, x);
  }
  for (const auto& [sum, x] : found) {
    if (!is_moderate(x)) {
      guard(*sum, x);
      continue;
    }
    llvm::IRBuilder<> b(sum);
    sum->replaceAllUsesWith(b.CreateFDiv(llvm::ConstantFP::get(x->getType(), 1), x));
    sum->eraseFromParent();
  }
  return static_cast<unsigned>(found.size());
}

void fuse_negations(llvm::Function& function) {
  std::vector<llvm::IntrinsicInst*> products;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call && call->getIntrinsicID() == llvm::Intrinsic::fma &&
        call->getType()->getScalarType()->isDoubleTy())
      products.push_back(call);
  }
  for (llvm::IntrinsicInst* product : products) {
    for (llvm::Use& operand : product->args()) {
      auto* choice = llvm::dyn_cast<llvm::SelectInst>(operand.get());
      llvm::Value* positive = choice ? libdevice::negated(choice) : nullptr;
      if (!positive) continue;
      operand.set(llvm::IRBuilder<>(product).CreateFNeg(positive));
      llvm::RecursivelyDeleteTriviallyDeadInstructions(choice);
    }
  }
}

}  // namespace pycuda::cpu::simt
