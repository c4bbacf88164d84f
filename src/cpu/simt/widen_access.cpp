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

std::string apart_form(const char* name, const Shape& address) {
  if (!address.is_affine()) return std::string(name) + ": any addresses";
  return std::string("strided by ") + std::to_string(address.stride) + " bytes: " + name;
}

}  // namespace

/// Whether the active lanes' pointers follow one another as elements of a vector do; `first` is
/// then where lane 0's element lies. Some lane is active wherever code runs.
llvm::Value* Widener::test_adjacent(llvm::Value* pointers, std::int64_t bytes,
                                    llvm::Value*& first) {
  llvm::Type* integer = b_.getInt64Ty();
  llvm::SmallVector<llvm::Constant*, 32> steps;
  for (unsigned lane = 0; lane < lanes_; ++lane)
    steps.push_back(b_.getInt64(static_cast<std::uint64_t>(bytes) * lane));
  llvm::Value* starts =
      b_.CreateSub(b_.CreatePtrToInt(pointers, llvm::FixedVectorType::get(integer, lanes_)),
                   llvm::ConstantVector::get(steps));
  llvm::Value* lane =
      b_.CreateIntrinsic(llvm::Intrinsic::cttz, {bits_type()}, {bits_of_mask(), b_.getTrue()});
  llvm::Value* start = is_full(mask_) ? b_.CreateExtractElement(starts, std::uint64_t{0})
                                      : b_.CreateExtractElement(starts, lane);
  first = b_.CreateIntToPtr(start, b_.getPtrTy());
  llvm::Value* differs = b_.CreateICmpNE(starts, b_.CreateVectorSplat(lanes_, start));
  return b_.CreateNot(any(b_.CreateLogicalAnd(mask_, differs)));
}

llvm::Value* Widener::emit_load(llvm::LoadInst& load) {
  const llvm::DataLayout& layout = source_.getParent()->getDataLayout();
  if (!load.isSimple()) return emit_lane_by_lane(load);
  llvm::Type* type = wide_type(load.getType());
  const Shape address = shapes_.of(load.getPointerOperand());
  if (is_adjacent(address, load.getType(), layout)) {
    note_access(load, "contiguous");
    llvm::Value* pointer = scalar(load.getPointerOperand());
    if (is_full(mask_)) return b_.CreateAlignedLoad(type, pointer, load.getAlign());
    return b_.CreateMaskedLoad(type, pointer, load.getAlign(), mask_, llvm::PoisonValue::get(type));
  }
  if (llvm::Value* parts = emit_interleaved_load(load)) {
    note_access(load, "contiguous, with the other parts of its structure");
    return parts;
  }
  llvm::Value* pointers = vector(load.getPointerOperand());
  const auto gather = [&] {
    return b_.CreateMaskedGather(type, pointers, load.getAlign(), mask_,
                                 llvm::PoisonValue::get(type));
  };
  if (!address.is_varying() ||
      !is_adjacent(guesses_.of(load.getPointerOperand()), load.getType(), layout)) {
    note_access(load, apart_form("gather", address));
    return gather();
  }
  note_access(load, "contiguous or gather: tested at run time");
  llvm::Value* first = nullptr;
  llvm::Value* adjacent = test_adjacent(
      pointers, static_cast<std::int64_t>(layout.getTypeStoreSize(load.getType())), first);
  const auto new_block = [&](const char* name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, target_);
  };
  llvm::BasicBlock* whole = new_block("adjacent");
  llvm::BasicBlock* apart = new_block("apart");
  llvm::BasicBlock* done = new_block("loaded");
  b_.CreateCondBr(adjacent, whole, apart);
  b_.SetInsertPoint(whole);
  llvm::Value* from_whole =
      b_.CreateMaskedLoad(type, first, load.getAlign(), mask_, llvm::PoisonValue::get(type));
  b_.CreateBr(done);
  b_.SetInsertPoint(apart);
  llvm::Value* from_parts = gather();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  llvm::PHINode* result = b_.CreatePHI(type, 2);
  result->addIncoming(from_whole, whole);
  result->addIncoming(from_parts, apart);
  return result;
}

void Widener::emit_store(llvm::StoreInst& store) {
  const llvm::DataLayout& layout = source_.getParent()->getDataLayout();
  const Shape address = shapes_.of(store.getPointerOperand());
  llvm::Value* value = store.getValueOperand();
  if (address.is_uniform()) {
    note_access(store, "one place: the last lane's value");
    llvm::Value* pointer = scalar(store.getPointerOperand());
    llvm::Value* last = nullptr;
    if (shapes_.of(value).is_uniform()) {
      last = scalar(value);
    } else {
      // As if the lanes stored one after the other.
      llvm::Value* bits = bits_of_mask();
      llvm::Value* zeros =
          b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {bits_type()}, {bits, b_.getTrue()});
      last = lane_of(
          value,
          b_.CreateSub(llvm::ConstantInt::get(bits_type(), bits_type()->getBitWidth() - 1), zeros));
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
    note_access(store, "contiguous");
    llvm::Value* pointer = scalar(store.getPointerOperand());
    if (is_full(mask_)) {
      b_.CreateAlignedStore(wide(value), pointer, store.getAlign());
    } else {
      b_.CreateMaskedStore(wide(value), pointer, store.getAlign(), mask_);
    }
    return;
  }
  if (emit_interleaved_store(store)) {
    note_access(store, "contiguous, with the other parts of its structure");
    return;
  }
  llvm::Value* values = wide(value);
  llvm::Value* pointers = vector(store.getPointerOperand());
  if (!address.is_varying() ||
      !is_adjacent(guesses_.of(store.getPointerOperand()), value->getType(), layout)) {
    note_access(store, apart_form("scatter", address));
    b_.CreateMaskedScatter(values, pointers, store.getAlign(), mask_);
    return;
  }
  note_access(store, "contiguous or scatter: tested at run time");
  llvm::Value* first = nullptr;
  llvm::Value* adjacent = test_adjacent(
      pointers, static_cast<std::int64_t>(layout.getTypeStoreSize(value->getType())), first);
  llvm::BasicBlock* whole = llvm::BasicBlock::Create(b_.getContext(), "adjacent", target_);
  llvm::BasicBlock* apart = llvm::BasicBlock::Create(b_.getContext(), "apart", target_);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(b_.getContext(), "stored", target_);
  b_.CreateCondBr(adjacent, whole, apart);
  b_.SetInsertPoint(whole);
  b_.CreateMaskedStore(values, first, store.getAlign(), mask_);
  b_.CreateBr(done);
  b_.SetInsertPoint(apart);
  b_.CreateMaskedScatter(values, pointers, store.getAlign(), mask_);
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
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
