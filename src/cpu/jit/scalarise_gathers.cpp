// SPDX-License-Identifier: MIT

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "cpu/jit/finishing_passes.h"
#include "cpu/simt/analysis/dialect.h"

namespace pycuda::cpu::jit {
namespace {

/// Loads of one function: compiling each of them, with its address and the place of its value,
/// takes a third of a millisecond.
constexpr unsigned most_loads = 8192;

/// The addresses of a gather, lane by lane.
class LaneAddresses {
 public:
  LaneAddresses(llvm::Value* pointers, llvm::IRBuilder<>& builder)
      : builder_(builder), pointers_(pointers) {
    using namespace llvm::PatternMatch;
    auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(pointers);
    if (!address || address->getNumIndices() != 1 ||
        address->getOperand(0)->getType()->isVectorTy())
      return;
    address_ = address;
    llvm::Value* index = address->getOperand(1);
    const auto* type = llvm::cast<llvm::FixedVectorType>(index->getType());
    llvm::Value* narrow = nullptr;
    if (type->getNumElements() % 2 != 0 || !match(index, m_SExt(m_Value(narrow))) ||
        !narrow->getType()->getScalarType()->isIntegerTy(32))
      return;
    // The freeze hides what is known of the indexes. LLVM 19 forgets to clear the upper half of a
    // pair if they were computed in another block and have zeros in front: it takes the lower
    // index for one that is extended already.
    pairs_ = builder.CreateBitCast(
        builder.CreateFreeze(narrow),
        llvm::FixedVectorType::get(builder.getInt64Ty(), type->getNumElements() / 2));
  }

  llvm::Value* of(unsigned lane) {
    if (!address_) return builder_.CreateExtractElement(pointers_, lane);
    return builder_.CreateGEP(address_->getSourceElementType(), address_->getOperand(0),
                              index_of(lane));
  }

 private:
  /// Two indexes of 32 bits leave the vector at once.
  llvm::Value* index_of(unsigned lane) {
    if (!pairs_) return builder_.CreateExtractElement(address_->getOperand(1), lane);
    if (lane % 2 != 0) return builder_.CreateAShr(pair_, 32);
    pair_ = builder_.CreateExtractElement(pairs_, lane / 2);
    return builder_.CreateSExt(builder_.CreateTrunc(pair_, builder_.getInt32Ty()),
                               builder_.getInt64Ty());
  }

  llvm::IRBuilder<>& builder_;
  llvm::Value* pointers_;
  llvm::GetElementPtrInst* address_ = nullptr;  ///< one base and an index for each lane
  llvm::Value* pairs_ = nullptr;                ///< indexes of 32 bits, two in each element
  llvm::Value* pair_ = nullptr;
};

}  // namespace

bool scalarise_gathers(llvm::Function& function) {
  bool changed = false;
  unsigned loads = 0;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* gather = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (gather == nullptr || gather->getIntrinsicID() != llvm::Intrinsic::masked_gather ||
        gather->getMetadata(simt::indirect_access))
      continue;
    const auto* mask = llvm::dyn_cast<llvm::Constant>(gather->getArgOperand(2));
    if (mask == nullptr || !mask->isAllOnesValue()) continue;
    auto* type = llvm::cast<llvm::FixedVectorType>(gather->getType());
    if (loads + type->getNumElements() > most_loads) continue;
    loads += type->getNumElements();
    const auto alignment =
        llvm::cast<llvm::ConstantInt>(gather->getArgOperand(1))->getMaybeAlignValue();
    llvm::IRBuilder<> builder(gather);
    llvm::Value* whole = llvm::PoisonValue::get(type);
    LaneAddresses addresses(gather->getArgOperand(0), builder);
    for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
      whole = builder.CreateInsertElement(
          whole, builder.CreateAlignedLoad(type->getElementType(), addresses.of(lane), alignment),
          lane);
    }
    gather->replaceAllUsesWith(whole);
    gather->eraseFromParent();
    changed = true;
  }
  return changed;
}

}  // namespace pycuda::cpu::jit
