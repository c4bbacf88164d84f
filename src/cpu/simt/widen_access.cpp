// SPDX-License-Identifier: MIT
// Loads and stores of gangs: one scalar, one vector, or one element per lane.
#include <llvm/IR/MDBuilder.h>
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

std::vector<llvm::Value*> Widener::either(llvm::Value* condition,
                                          llvm::function_ref<std::vector<llvm::Value*>()> whole,
                                          llvm::function_ref<std::vector<llvm::Value*>()> apart) {
  const auto new_block = [&](const char* name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, target_);
  };
  llvm::BasicBlock* yes = new_block("adjacent");
  llvm::BasicBlock* no = new_block("apart");
  llvm::BasicBlock* done = new_block("accessed");
  b_.CreateCondBr(condition, yes, no, llvm::MDBuilder(b_.getContext()).createLikelyBranchWeights());
  b_.SetInsertPoint(yes);
  std::vector<llvm::Value*> values = whole();
  yes = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(no);
  const std::vector<llvm::Value*> others = apart();
  no = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  for (std::size_t i = 0; i < values.size(); ++i) {
    llvm::PHINode* value = b_.CreatePHI(values[i]->getType(), 2);
    value->addIncoming(values[i], yes);
    value->addIncoming(others[i], no);
    values[i] = value;
  }
  return values;
}

/// Processors gather words: numbers of 8 or 16 bits are cut out of those they lie in, which are
/// never in another page.
llvm::Value* Widener::gather(llvm::LoadInst& load, llvm::Value* pointers) {
  llvm::Type* type = wide_type(load.getType());
  const unsigned bits = load.getType()->isIntegerTy() ? load.getType()->getIntegerBitWidth() : 0;
  if ((bits != 8 && bits != 16) || load.getAlign().value() * 8 < bits)
    return b_.CreateMaskedGather(type, pointers, load.getAlign(), mask_,
                                 llvm::PoisonValue::get(type));
  const auto all = [&](std::uint64_t value) {
    return b_.CreateVectorSplat(lanes_, b_.getInt64(value));
  };
  llvm::Value* places = b_.CreatePtrToInt(pointers, wide_type(b_.getInt64Ty()));
  llvm::Value* words =
      b_.CreateIntToPtr(b_.CreateAnd(places, all(~std::uint64_t{3})), wide_type(b_.getPtrTy()));
  llvm::Type* word = wide_type(b_.getInt32Ty());
  llvm::Value* found =
      b_.CreateMaskedGather(word, words, llvm::Align(4), mask_, llvm::PoisonValue::get(word));
  llvm::Value* by = b_.CreateTrunc(b_.CreateShl(b_.CreateAnd(places, all(3)), all(3)), word);
  return b_.CreateTrunc(b_.CreateLShr(found, by), type);
}

llvm::Value* Widener::emit_load(llvm::LoadInst& load) {
  const llvm::DataLayout& layout = source_.getParent()->getDataLayout();
  if (!load.isSimple()) return emit_lane_by_lane(load);
  llvm::Type* type = wide_type(load.getType());
  llvm::Value* address = load.getPointerOperand();
  const Shape shape = shapes_.of(address);
  const auto from = [&](llvm::Value* first) -> llvm::Value* {
    if (is_full(mask_)) return b_.CreateAlignedLoad(type, first, load.getAlign());
    return b_.CreateMaskedLoad(type, first, load.getAlign(), mask_, llvm::PoisonValue::get(type));
  };
  if (is_adjacent(shape, load.getType(), layout)) {
    note_access(load, "contiguous");
    return from(scalar(address));
  }
  if (llvm::Value* parts = emit_interleaved_load(load)) {
    note_access(load, "contiguous, with the other parts of its structure");
    return parts;
  }
  if (!shape.is_varying() || !is_adjacent(guesses_.of(address), load.getType(), layout)) {
    note_access(load, apart_form("gather", shape));
    return gather(load, vector(address));
  }
  llvm::Value* holds = nullptr;
  llvm::Value* first = guess(address, holds);
  note_access(load, "contiguous or gather: tested at run time");
  if (!first)
    holds = test_adjacent(
        vector(address),
        static_cast<std::int64_t>(layout.getTypeStoreSize(load.getType()).getFixedValue()), first);
  const auto whole = [&] { return std::vector{from(first)}; };
  const auto apart = [&] { return std::vector{gather(load, pointers_again(address))}; };
  return either(holds, whole, apart).front();
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
  llvm::Value* target = store.getPointerOperand();
  llvm::Value* values = wide(value);
  const auto scatter = [&](llvm::Value* pointers) {
    b_.CreateMaskedScatter(values, pointers, store.getAlign(), mask_);
    return std::vector<llvm::Value*>();
  };
  if (!address.is_varying() || !is_adjacent(guesses_.of(target), value->getType(), layout)) {
    note_access(store, apart_form("scatter", address));
    scatter(vector(target));
    return;
  }
  llvm::Value* holds = nullptr;
  llvm::Value* first = guess(target, holds);
  note_access(store, "contiguous or scatter: tested at run time");
  if (!first)
    holds = test_adjacent(
        vector(target),
        static_cast<std::int64_t>(layout.getTypeStoreSize(value->getType()).getFixedValue()),
        first);
  const auto whole = [&] {
    if (is_full(mask_)) {
      b_.CreateAlignedStore(values, first, store.getAlign());
    } else {
      b_.CreateMaskedStore(values, first, store.getAlign(), mask_);
    }
    return std::vector<llvm::Value*>();
  };
  either(holds, whole, [&] { return scatter(pointers_again(target)); });
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
