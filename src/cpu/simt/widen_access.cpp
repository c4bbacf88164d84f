// SPDX-License-Identifier: MIT
// Loads and stores of gangs: one scalar, one vector, or one element per lane.
#include <llvm/IR/Module.h>

#include "cpu/simt/widen.h"

namespace pycuda::cpu::simt {

bool Widener::is_full(llvm::Value* mask) const {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
  return constant && constant->isAllOnesValue();
}

namespace {

bool is_adjacent(const Shape& address, llvm::Type* type, const llvm::DataLayout& layout) {
  const auto bytes = static_cast<std::int64_t>(layout.getTypeStoreSize(type).getFixedValue());
  return address.is_affine() && address.stride == bytes &&
         layout.getTypeSizeInBits(type) == layout.getTypeStoreSizeInBits(type);
}

}  // namespace

llvm::Value* Widener::emit_load(llvm::LoadInst& load) {
  const llvm::DataLayout& layout = source_.getParent()->getDataLayout();
  if (!load.isSimple()) return emit_lane_by_lane(load);
  llvm::Type* type = wide_type(load.getType());
  const Shape address = shapes_.of(load.getPointerOperand());
  if (is_adjacent(address, load.getType(), layout)) {
    llvm::Value* pointer = scalar(load.getPointerOperand());
    if (is_full(mask_)) return b_.CreateAlignedLoad(type, pointer, load.getAlign());
    return b_.CreateMaskedLoad(type, pointer, load.getAlign(), mask_, llvm::PoisonValue::get(type));
  }
  return b_.CreateMaskedGather(type, vector(load.getPointerOperand()), load.getAlign(), mask_,
                               llvm::PoisonValue::get(type));
}

void Widener::emit_store(llvm::StoreInst& store) {
  const llvm::DataLayout& layout = source_.getParent()->getDataLayout();
  const Shape address = shapes_.of(store.getPointerOperand());
  llvm::Value* value = store.getValueOperand();
  if (address.is_uniform()) {
    llvm::Value* pointer = scalar(store.getPointerOperand());
    llvm::Value* last = nullptr;
    if (shapes_.of(value).is_uniform()) {
      last = scalar(value);
    } else {
      // As if the lanes stored one after the other.
      llvm::Value* bits = bits_of_mask();
      llvm::Value* zeros =
          b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {b_.getInt32Ty()}, {bits, b_.getTrue()});
      last = lane_of(value, b_.CreateSub(b_.getInt32(31), zeros));
    }
    auto* copy = llvm::cast<llvm::StoreInst>(store.clone());
    copy->setOperand(0, last);
    copy->setOperand(1, pointer);
    b_.Insert(copy);
    return;
  }
  if (!store.isSimple()) {
    emit_lane_by_lane(store);
    return;
  }
  if (is_adjacent(address, value->getType(), layout)) {
    llvm::Value* pointer = scalar(store.getPointerOperand());
    if (is_full(mask_)) {
      b_.CreateAlignedStore(wide(value), pointer, store.getAlign());
    } else {
      b_.CreateMaskedStore(wide(value), pointer, store.getAlign(), mask_);
    }
    return;
  }
  b_.CreateMaskedScatter(wide(value), vector(store.getPointerOperand()), store.getAlign(), mask_);
}

/// One check for the gang where all lanes have the same low bits; else lane by lane, once one of
/// them is known to fail.
void Widener::emit_alignment_check(llvm::CallInst& check) {
  llvm::Value* tested = check.getArgOperand(1);
  const std::uint64_t bits = llvm::cast<llvm::ConstantInt>(check.getArgOperand(3))->getZExtValue();
  const Shape shape = shapes_.of(tested);
  if (!shape.is_varying() && (static_cast<std::uint64_t>(shape.stride) & bits) == 0) {
    llvm::Value* thread = scalar(check.getArgOperand(0));
    llvm::Value* base = scalar(tested);
    llvm::Value* address = check.getArgOperand(2);
    llvm::Value* shown = shapes_.of(address).is_varying() ? base : scalar(address);
    b_.CreateCall(check.getCalledFunction(), {thread, base, shown, check.getArgOperand(3)})
        ->setDoesNotThrow();
    return;
  }
  llvm::Value* all = vector(tested);
  llvm::Value* low = b_.CreateAnd(all, llvm::ConstantInt::get(all->getType(), bits));
  llvm::Value* bad = b_.CreateLogicalAnd(
      mask_, b_.CreateICmpNE(low, llvm::Constant::getNullValue(all->getType())));
  llvm::BasicBlock* faults = llvm::BasicBlock::Create(b_.getContext(), "misaligned.lanes", target_);
  llvm::BasicBlock* fine = llvm::BasicBlock::Create(b_.getContext(), "aligned", target_);
  b_.CreateCondBr(any(bad), faults, fine);
  b_.SetInsertPoint(faults);
  llvm::Value* own = mask_;
  mask_ = bad;
  emit_lane_by_lane(check);
  mask_ = own;
  b_.CreateBr(fine);
  b_.SetInsertPoint(fine);
}

}  // namespace pycuda::cpu::simt
