// SPDX-License-Identifier: MIT
// Loads and stores of gangs: one scalar, one vector, or one element per lane.
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/KnownBits.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cpu/lower/line_notes.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/slice.h"
#include "cpu/simt/versioning/versioning_passes.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {

bool Widener::is_adjacent(const Shape& address, llvm::Type* type) const {
  return address.is_affine() && address.stride == bytes_of(type) &&
         layout_.getTypeSizeInBits(type) == layout_.getTypeStoreSizeInBits(type);
}

bool Widener::is_full(llvm::Value* mask) const {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
  return constant && constant->isAllOnesValue();
}

namespace {

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

/// `looks`: the test is of each lane's address, not of the first one's.
std::string tested_form(const char* name, unsigned rows, bool looks) {
  return std::string(rows == 1 ? "contiguous or " : "contiguous in each row or ") + name +
         ": tested at run time" + (looks ? ", lane for lane" : "");
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
      start = b_.CreateExtractElement(starts, std::uint64_t{i} * columns_);
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

/// As if the lanes stored one after the other: of those that share a place the last one stays.
void Widener::store_rows(llvm::StoreInst& store, llvm::ArrayRef<llvm::Value*> first) {
  llvm::Value* value = store.getValueOperand();
  llvm::Value* values = wide(value);
  const bool one_place = shapes_.of(store.getPointerOperand()).is_same_in_rows();
  for (unsigned i = 0; i < rows_; ++i) {
    llvm::Value* pointer = first[first.size() == rows_ ? i : 0];
    llvm::Value* lanes = row_lanes(values, i);
    llvm::BasicBlock* done = nullptr;
    if (one_place) {
      llvm::Value* last = b_.getInt64(columns_ - 1);
      if (!is_full(mask_)) {
        llvm::Value* bits = b_.CreateBitCast(row_lanes(mask_, i), b_.getIntNTy(columns_));
        llvm::BasicBlock* some = new_block("row");
        done = new_block("row.done");
        b_.CreateCondBr(b_.CreateIsNotNull(bits), some, done);
        b_.SetInsertPoint(some);
        llvm::Value* zeros =
            b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {bits->getType()}, {bits, b_.getTrue()});
        last = b_.CreateSub(last, b_.CreateZExt(zeros, b_.getInt64Ty()));
      }
      lanes = b_.CreateExtractElement(lanes, last);
    }
    if (one_place || is_full(mask_)) {
      b_.CreateAlignedStore(lanes, pointer, store.getAlign())->setDebugLoc(store.getDebugLoc());
    } else {
      b_.CreateMaskedStore(lanes, pointer, store.getAlign(), row_lanes(mask_, i));
    }
    if (!done) continue;
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
  }
}

Widener::Values Widener::either(llvm::Value* condition, llvm::function_ref<Values()> whole,
                                llvm::function_ref<Values()> apart, llvm::MDNode* weights) {
  llvm::BasicBlock* yes = new_block("adjacent");
  llvm::BasicBlock* no = new_block("apart");
  llvm::BasicBlock* done = new_block("accessed");
  b_.CreateCondBr(condition, yes, no, weights);
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

namespace {

/// An address in a variable of the module, in one of two places.
struct TwoPlaces {
  llvm::GlobalVariable* variable;
  std::uint64_t first, second;  ///< bytes from its start
  llvm::Value* offset;          ///< has the one bit that tells them apart
  std::uint64_t bit;
};

/// Tables of constants are read with an index of one bit, as by sin and cos.
std::optional<TwoPlaces> two_places(const llvm::LoadInst& load, const llvm::DataLayout& layout) {
  using namespace llvm::PatternMatch;
  std::int64_t distance = 0;
  const llvm::Value* base =
      llvm::GetPointerBaseWithConstantOffset(load.getPointerOperand(), distance, layout);
  llvm::Value *offset = nullptr, *start = nullptr;
  if (!match(base, m_IntToPtr(m_c_Add(m_Value(offset), m_PtrToInt(m_Value(start))))))
    return std::nullopt;
  auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(start);
  std::uint64_t bytes = 0;
  if (!variable || variable->getAttribute(lower::pseudo::variable_bytes)
                       .getValueAsString()
                       .getAsInteger(10, bytes))
    return std::nullopt;
  const llvm::KnownBits known = llvm::computeKnownBits(offset, layout);
  const llvm::APInt unknown = ~(known.Zero | known.One);
  if (unknown.popcount() != 1) return std::nullopt;
  const std::uint64_t first = known.One.getZExtValue() + static_cast<std::uint64_t>(distance);
  const std::uint64_t bit = unknown.getZExtValue();
  const std::uint64_t size = layout.getTypeStoreSize(load.getType()).getFixedValue();
  const auto is_within = [&](std::uint64_t place) {
    return place < bytes && size <= bytes - place;
  };
  if (!is_within(first) || !is_within(first + bit)) return std::nullopt;
  return TwoPlaces{variable, first, first + bit, offset, bit};
}

}  // namespace

/// Both places are read once for the gang; null if there may be more of them.
llvm::Value* Widener::load_of_two(llvm::LoadInst& load) {
  const auto places = two_places(load, layout_);
  if (!places) return nullptr;
  auto* offset = llvm::dyn_cast<llvm::Instruction>(places->offset);
  if (!offset || offset->getParent() != block_) return nullptr;
  const auto read = [&](std::uint64_t place) {
    llvm::LoadInst* one = b_.CreateAlignedLoad(
        load.getType(), b_.CreateConstGEP1_64(b_.getInt8Ty(), places->variable, place),
        load.getAlign());
    one->copyMetadata(load, {llvm::LLVMContext::MD_invariant_load});
    return b_.CreateVectorSplat(lanes_, one);
  };
  llvm::Value* offsets = vector(offset);
  llvm::Constant* bit = llvm::ConstantInt::get(offsets->getType(), places->bit);
  llvm::Value* is_second = b_.CreateICmpEQ(b_.CreateAnd(offsets, bit), bit);
  return b_.CreateSelect(is_second, read(places->second), read(places->first));
}

/// Whether `load` reads where a list says, which lanes read side by side: places all over memory,
/// most likely.
bool Widener::follows_list(const llvm::LoadInst& load) const {
  return find_in_slice({load.getPointerOperand()}, [&](const llvm::Instruction& source) {
    if (is_plain_arithmetic(source)) return Slice::Through;
    const auto* list = llvm::dyn_cast<llvm::LoadInst>(&source);
    if (!list) return Slice::Past;
    const llvm::Value* place = list->getPointerOperand();
    return is_adjacent(shapes_.of(place), list->getType()) ||
                   is_adjacent(guesses_.of(place), list->getType())
               ? Slice::Found
               : Slice::Past;
  });
}

/// Processors gather words: where lanes are masked out, numbers of 8 or 16 bits are cut out of
/// those they lie in, which are never in another page. All lanes' numbers are read one by one.
llvm::Value* Widener::gather(llvm::LoadInst& load, llvm::Value* pointers) {
  llvm::Type* type = wide_type(load.getType());
  const unsigned bits = load.getType()->isIntegerTy() ? load.getType()->getIntegerBitWidth() : 0;
  if ((bits != 8 && bits != 16) || load.getAlign().value() * 8 < bits || is_full(mask_)) {
    llvm::CallInst* found =
        b_.CreateMaskedGather(type, pointers, load.getAlign(), mask_, llvm::PoisonValue::get(type));
    if (bits != 8 && bits != 16 && follows_list(load))
      found->setMetadata(indirect_access, llvm::MDNode::get(b_.getContext(), {}));
    return found;
  }
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

/// Where the elements of the rows' first lanes lie if `holds`: computed from scalars, or found by a
/// look at each lane's address.
std::vector<llvm::Value*> Widener::first_or_test(llvm::Value* address, llvm::Type* type,
                                                 llvm::Value*& holds, bool& looks) {
  std::vector<llvm::Value*> first = guess(address, holds);
  looks = first.empty();
  if (!looks) return first;
  holds = test_adjacent(vector(address), bytes_of(type), first);
  return first;
}

llvm::Value* Widener::emit_load(llvm::LoadInst& load) {
  if (!load.isSimple()) return emit_lane_by_lane(load);
  llvm::Value* address = load.getPointerOperand();
  const Shape shape = shapes_.of(address);
  if (is_adjacent(shape, load.getType())) {
    note_access(load, adjacent_form(shape, rows_));
    prefetch_behind(load);
    const std::vector<llvm::Value*> first = pointers_of_rows(address);
    fetch_ahead(load, first);
    return load_rows(load, first);
  }
  if (llvm::Value* parts = emit_interleaved_load(load)) {
    note_access(load, "contiguous, with the other parts of its structure");
    return parts;
  }
  if (llvm::Value* chosen = shape.is_varying() ? load_of_two(load) : nullptr) {
    note_access(load, "one of two places: both loads for the gang");
    return chosen;
  }
  if (llvm::Value* loaded = load_known_places(load)) return loaded;
  if (!shape.is_varying() || is_unchecked(load) ||
      !is_adjacent(guesses_.of(address), load.getType())) {
    if (!is_unchecked(load)) note_access(load, apart_form("gather", shape), ForEachThread::Gather);
    return gather(load, vector(address));
  }
  llvm::Value* holds = nullptr;
  bool looks = false;
  const std::vector<llvm::Value*> first = first_or_test(address, load.getType(), holds, looks);
  note_access(load, tested_form("gather", rows_, looks));
  const auto whole = [&] {
    fetch_ahead(load, first);
    return std::vector{load_rows(load, first)};
  };
  const auto apart = [&] { return std::vector{gather(load, pointers_again(address))}; };
  return either(holds, whole, apart).front();
}

void Widener::emit_store(llvm::StoreInst& store) {
  const Shape address = shapes_.of(store.getPointerOperand());
  llvm::Value* value = store.getValueOperand();
  if (address.is_uniform()) {
    if (!lower::is_line_note(store)) note_access(store, "one place: the last lane's value");
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
  if (is_adjacent(address, value->getType())) {
    note_access(store, adjacent_form(address, rows_));
    store_rows(store, pointers_of_rows(store.getPointerOperand()));
    return;
  }
  if (emit_interleaved_store(store)) {
    note_access(store, "contiguous, with the other parts of its structure");
    return;
  }
  if (store_known_places(store)) return;
  if (address.is_same_in_rows()) {
    note_access(store, "one place for each row of the tile: its last lane's value");
    store_rows(store, pointers_of_rows(store.getPointerOperand()));
    return;
  }
  llvm::Value* target = store.getPointerOperand();
  llvm::Value* values = wide(value);
  const auto scatter = [&](llvm::Value* pointers) {
    b_.CreateMaskedScatter(values, pointers, store.getAlign(), mask_);
    return std::vector<llvm::Value*>();
  };
  if (!address.is_varying() || is_unchecked(store) ||
      !is_adjacent(guesses_.of(target), value->getType())) {
    if (!is_unchecked(store))
      note_access(store, apart_form("scatter", address), ForEachThread::Scatter);
    scatter(vector(target));
    return;
  }
  llvm::Value* holds = nullptr;
  bool looks = false;
  const std::vector<llvm::Value*> first = first_or_test(target, value->getType(), holds, looks);
  note_access(store, tested_form("scatter", rows_, looks));
  const auto whole = [&] {
    store_rows(store, first);
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
  where(any(bad), "misaligned.lanes", [&] {
    llvm::Value* const own = std::exchange(mask_, bad);
    emit_lane_by_lane(check);
    mask_ = own;
  });
}

}  // namespace pycuda::cpu::simt
