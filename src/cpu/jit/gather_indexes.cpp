// SPDX-License-Identifier: MIT

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include <cstdint>

#include "cpu/jit/finishing_passes.h"

namespace pycuda::cpu::jit {
namespace {

using namespace llvm::PatternMatch;

constexpr unsigned most_steps = 8;
/// Addresses scale an index by 1, 2, 4 or 8.
constexpr std::uint64_t largest_shift = 3;

/// What all lanes of `value` are, if that is one scalar: also an element of a vector that
/// parameters were read into together, or a sum that was made before it was spread.
llvm::Value* shared_of(llvm::Value* value, llvm::IRBuilder<>& builder) {
  if (llvm::Value* scalar = llvm::getSplatValue(value)) return scalar;
  const auto* spread = llvm::dyn_cast<llvm::ShuffleVectorInst>(value);
  const int element = spread ? llvm::getSplatIndex(spread->getShuffleMask()) : -1;
  if (element < 0) return nullptr;
  llvm::Value* from = spread->getOperand(0);
  if (element >=
      static_cast<int>(llvm::cast<llvm::FixedVectorType>(from->getType())->getNumElements()))
    return nullptr;
  return builder.CreateExtractElement(from, static_cast<std::uint64_t>(element));
}

/// A vector of addresses as a sum of scalars and of what differs between lanes.
class AddressSum {
 public:
  AddressSum(llvm::Value* addresses, llvm::IRBuilder<>& builder) : builder_(builder) {
    add(addresses, 0);
  }

  /// Whether it is a base and one number for each lane.
  bool is_indexed() const { return !shared_.empty() && different_.size() == 1; }
  llvm::Value* index() const { return different_.front(); }

  llvm::Value* base() const {
    llvm::Value* sum = nullptr;
    for (llvm::Value* scalar : shared_) {
      if (scalar->getType()->isPointerTy())
        scalar = builder_.CreatePtrToInt(scalar, builder_.getInt64Ty());
      sum = sum ? builder_.CreateAdd(sum, scalar) : scalar;
    }
    return builder_.CreateIntToPtr(sum, builder_.getPtrTy());
  }

 private:
  void add(llvm::Value* value, unsigned steps) {
    if (llvm::Value* scalar = shared_of(value, builder_)) {
      shared_.push_back(scalar);
      return;
    }
    llvm::Value *left = nullptr, *right = nullptr;
    const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(value);
    const bool is_known = steps < most_steps;
    if (is_known &&
        (match(value, m_IntToPtr(m_Value(left))) || match(value, m_PtrToInt(m_Value(left))))) {
      add(left, steps + 1);
    } else if (is_known && match(value, m_AddLike(m_Value(left), m_Value(right)))) {
      add(left, steps + 1);
      add(right, steps + 1);
    } else if (is_known && address && address->getNumIndices() == 1 &&
               llvm::isa<llvm::ConstantInt>(address->getOperand(1)) &&
               address->getSourceElementType()->isIntegerTy(8)) {
      add(address->getOperand(0), steps + 1);
      shared_.push_back(address->getOperand(1));
    } else {
      different_.push_back(value);
    }
  }

  llvm::IRBuilder<>& builder_;
  llvm::SmallVector<llvm::Value*, 4> shared_;
  llvm::SmallVector<llvm::Value*, 4> different_;
};

/// The pointer operand of a gather or scatter, or -1.
int pointers_of(const llvm::IntrinsicInst& access) {
  switch (access.getIntrinsicID()) {
    case llvm::Intrinsic::masked_gather:
      return 0;
    case llvm::Intrinsic::masked_scatter:
      return 1;
    default:
      return -1;
  }
}

bool index_pointers(llvm::IntrinsicInst& access, unsigned operand) {
  llvm::IRBuilder<> builder(&access);
  const AddressSum sum(access.getArgOperand(operand), builder);
  if (!sum.is_indexed()) return false;
  llvm::Value* index = sum.index();
  const llvm::DataLayout& layout = access.getDataLayout();
  auto* type = llvm::dyn_cast<llvm::FixedVectorType>(index->getType());
  if (!type || !type->getElementType()->isIntegerTy(64)) return false;
  llvm::Value* unscaled = nullptr;
  const llvm::APInt* amount = nullptr;
  unsigned shift = 0;
  if (match(index, m_Shl(m_Value(unscaled), m_APInt(amount))) && amount->ule(largest_shift)) {
    index = unscaled;
    shift = static_cast<unsigned>(amount->getZExtValue());
  }
  if (llvm::ComputeNumSignBits(index, layout) > 32) {
    // Beside the access, where the code generator sees that these are extensions.
    llvm::Type* narrow_type = type->getWithNewBitWidth(32);
    llvm::Value* narrow = nullptr;
    if (!match(index, m_SExt(m_Value(narrow))) && !match(index, m_NNegZExt(m_Value(narrow))))
      narrow = builder.CreateTrunc(index, narrow_type);
    index = builder.CreateSExt(builder.CreateSExt(narrow, narrow_type), type);
  }
  access.setArgOperand(operand,
                       builder.CreateGEP(builder.getIntNTy(8u << shift), sum.base(), index));
  return true;
}

}  // namespace

bool index_gathers(llvm::Function& function) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* access = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (access == nullptr) continue;
    if (const int operand = pointers_of(*access); operand >= 0)
      changed |= index_pointers(*access, static_cast<unsigned>(operand));
  }
  return changed;
}

}  // namespace pycuda::cpu::jit
