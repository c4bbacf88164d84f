// SPDX-License-Identifier: MIT
// Loads and stores of gangs: one scalar, one vector, or one element per lane.
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "cpu/simt/widen.h"
#include "cpu/simt/wrap_checks.h"

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
  if (address.stride == 0) return std::string(name) + ": one place for each row of the tile";
  return std::string("strided by ") + std::to_string(address.stride) + " bytes: " + name;
}

const char* adjacent_form(const Shape& address, unsigned rows) {
  if (rows == 1) return "contiguous";
  return address.by_row ? "periodic: contiguous in each row of the tile"
                        : "periodic: contiguous, the same for each row of the tile";
}

}  // namespace

/// Whether the active lanes' pointers of each row follow one another as elements of a vector do;
/// `first` are then where the elements of the rows' first lanes lie. Some lane is active wherever
/// code runs, but not one of each row.
llvm::Value* Widener::test_adjacent(llvm::Value* pointers, std::int64_t bytes,
                                    std::vector<llvm::Value*>& first) {
  llvm::Type* integer = b_.getInt64Ty();
  llvm::SmallVector<llvm::Constant*, 64> distances;
  for (unsigned lane = 0; lane < lanes_; ++lane)
    distances.push_back(b_.getInt64(static_cast<std::uint64_t>(bytes) * (lane % columns_)));
  llvm::Value* starts =
      b_.CreateSub(b_.CreatePtrToInt(pointers, llvm::FixedVectorType::get(integer, lanes_)),
                   llvm::ConstantVector::get(distances));
  std::vector<llvm::Value*> splats;
  for (unsigned i = 0; i < rows_; ++i) {
    llvm::Value* start = nullptr;
    if (is_full(mask_)) {
      start = b_.CreateExtractElement(starts, std::uint64_t{i * columns_});
    } else {
      llvm::Value* bits = b_.CreateBitCast(row_lanes(mask_, i), b_.getIntNTy(columns_));
      llvm::Value* lane = b_.CreateZExt(
          b_.CreateIntrinsic(llvm::Intrinsic::cttz, {bits->getType()}, {bits, b_.getFalse()}),
          integer);
      if (rows_ > 1) lane = b_.CreateAnd(lane, columns_ - 1);
      start = b_.CreateExtractElement(row_lanes(starts, i), lane);
    }
    first.push_back(b_.CreateIntToPtr(start, b_.getPtrTy()));
    splats.push_back(b_.CreateVectorSplat(columns_, start));
  }
  llvm::Value* differs = b_.CreateICmpNE(starts, join(splats));
  return b_.CreateNot(any(b_.CreateLogicalAnd(mask_, differs)));
}

/// Where the elements of the rows' first lanes lie: of one row if they are the same for all.
std::vector<llvm::Value*> Widener::pointers_of_rows(llvm::Value* pointer) {
  std::vector<llvm::Value*> first;
  for (unsigned i = 0; i < (shapes_.of(pointer).by_row ? rows_ : 1); ++i)
    first.push_back(row_value(pointer, i));
  return first;
}

/// Each row from one place on; with one pointer, all of them from there.
llvm::Value* Widener::load_rows(llvm::LoadInst& load, llvm::ArrayRef<llvm::Value*> first) {
  llvm::Type* type = llvm::FixedVectorType::get(load.getType(), columns_);
  std::vector<llvm::Value*> loaded;
  const auto load_row = [&](llvm::Value* pointer, llvm::Value* mask) -> llvm::Value* {
    if (is_full(mask_)) return b_.CreateAlignedLoad(type, pointer, load.getAlign());
    return b_.CreateMaskedLoad(type, pointer, load.getAlign(), mask, llvm::PoisonValue::get(type));
  };
  if (first.size() == rows_) {
    for (unsigned i = 0; i < rows_; ++i) loaded.push_back(load_row(first[i], row_lanes(mask_, i)));
    return join(loaded);
  }
  llvm::Value* mask = row_lanes(mask_, 0);
  for (unsigned i = 1; i < rows_; ++i) mask = b_.CreateOr(mask, row_lanes(mask_, i));
  return join(std::vector<llvm::Value*>(rows_, load_row(first.front(), mask)));
}

/// As if the lanes stored one after the other.
void Widener::store_rows(llvm::StoreInst& store, llvm::ArrayRef<llvm::Value*> first) {
  llvm::Value* values = wide(store.getValueOperand());
  for (unsigned i = 0; i < rows_; ++i) {
    llvm::Value* pointer = first[first.size() == rows_ ? i : 0];
    if (is_full(mask_)) {
      b_.CreateAlignedStore(row_lanes(values, i), pointer, store.getAlign());
    } else {
      b_.CreateMaskedStore(row_lanes(values, i), pointer, store.getAlign(), row_lanes(mask_, i));
    }
  }
}

llvm::Value* Widener::emit_load(llvm::LoadInst& load) {
  const llvm::DataLayout& layout = source_.getParent()->getDataLayout();
  if (!load.isSimple()) return emit_lane_by_lane(load);
  llvm::Type* type = wide_type(load.getType());
  const Shape address = shapes_.of(load.getPointerOperand());
  if (is_adjacent(address, load.getType(), layout)) {
    note_access(load, adjacent_form(address, rows_));
    return load_rows(load, pointers_of_rows(load.getPointerOperand()));
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
  if (!address.is_varying() || is_unchecked(load) ||
      !is_adjacent(guesses_.of(load.getPointerOperand()), load.getType(), layout)) {
    if (!is_unchecked(load)) note_access(load, apart_form("gather", address));
    return gather();
  }
  note_access(load, rows_ == 1 ? "contiguous or gather: tested at run time"
                               : "contiguous in each row or gather: tested at run time");
  std::vector<llvm::Value*> first;
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
  llvm::Value* from_whole = load_rows(load, first);
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
    note_access(store, adjacent_form(address, rows_));
    store_rows(store, pointers_of_rows(store.getPointerOperand()));
    return;
  }
  if (emit_interleaved_store(store)) {
    note_access(store, "contiguous, with the other parts of its structure");
    return;
  }
  llvm::Value* values = wide(value);
  llvm::Value* pointers = vector(store.getPointerOperand());
  if (!address.is_varying() || is_unchecked(store) ||
      !is_adjacent(guesses_.of(store.getPointerOperand()), value->getType(), layout)) {
    if (!is_unchecked(store)) note_access(store, apart_form("scatter", address));
    b_.CreateMaskedScatter(values, pointers, store.getAlign(), mask_);
    return;
  }
  note_access(store, rows_ == 1 ? "contiguous or scatter: tested at run time"
                                : "contiguous in each row or scatter: tested at run time");
  std::vector<llvm::Value*> first;
  llvm::Value* adjacent = test_adjacent(
      pointers, static_cast<std::int64_t>(layout.getTypeStoreSize(value->getType())), first);
  llvm::BasicBlock* whole = llvm::BasicBlock::Create(b_.getContext(), "adjacent", target_);
  llvm::BasicBlock* apart = llvm::BasicBlock::Create(b_.getContext(), "apart", target_);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(b_.getContext(), "stored", target_);
  b_.CreateCondBr(adjacent, whole, apart);
  b_.SetInsertPoint(whole);
  store_rows(store, first);
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
  // A row of a tile may have no active lane.
  if (!shape.is_varying() && !shape.by_row &&
      (static_cast<std::uint64_t>(shape.stride) & bits) == 0) {
    llvm::Value* thread = scalar(check.getArgOperand(0));
    llvm::Value* base = scalar(tested);
    llvm::Value* address = check.getArgOperand(2);
    llvm::Value* shown =
        shapes_.of(address).is_varying() || shapes_.of(address).by_row ? base : scalar(address);
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
