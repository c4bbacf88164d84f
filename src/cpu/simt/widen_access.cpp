// SPDX-License-Identifier: MIT
// Loads and stores of gangs: one scalar, one vector, or one element per lane.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/KnownBits.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cpu/lower/pseudo.h"
#include "cpu/simt/grid_stride.h"
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

/// Blocks whose gangs wait for one another read in short bursts, too short for the processor to see
/// that the next block goes on where this one ends. What lies behind is usually the next one's.
void Widener::prefetch_behind(llvm::LoadInst& load) {
  constexpr std::uint64_t distance = 2048;  // two blocks of 256 floats
  constexpr std::uint64_t line = 64;
  // Kernels' own addresses are computed from integers; those of shared memory are not.
  if (!waits_ || rows_ != 1 || !is_full(mask_) || flow_.loop_of(load.getParent()) ||
      !llvm::isa<llvm::IntToPtrInst>(load.getPointerOperand()))
    return;
  const std::uint64_t bytes =
      source_.getParent()->getDataLayout().getTypeStoreSize(load.getType()).getFixedValue() *
      lanes_;
  llvm::Value* first = scalar(load.getPointerOperand());
  for (std::uint64_t at = 0; at < bytes; at += line) {
    b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {first->getType()},
                       {b_.CreateConstGEP1_64(b_.getInt8Ty(), first, distance + at), b_.getInt32(0),
                        b_.getInt32(3), b_.getInt32(1)});
  }
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
  llvm::APInt distance(64, 0);
  const llvm::Value* base = load.getPointerOperand()->stripAndAccumulateConstantOffsets(
      layout, distance, /*AllowNonInbounds=*/true);
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
  const std::uint64_t first = known.One.getZExtValue() + distance.getZExtValue();
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
  const auto places = two_places(load, source_.getParent()->getDataLayout());
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

/// Where the elements of the rows' first lanes lie if `holds`: computed from scalars, or found by a
/// look at each lane's address.
std::vector<llvm::Value*> Widener::first_or_test(llvm::Value* address, llvm::Type* type,
                                                 llvm::Value*& holds) {
  std::vector<llvm::Value*> first = guess(address, holds);
  if (!first.empty()) return first;
  const llvm::DataLayout& layout = source_.getParent()->getDataLayout();
  holds = test_adjacent(vector(address),
                        static_cast<std::int64_t>(layout.getTypeStoreSize(type).getFixedValue()),
                        first);
  return first;
}

namespace {

bool calls(const llvm::BasicBlock& block, llvm::StringRef name) {
  return llvm::any_of(block, [&](const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    return call && call->getCalledFunction() && call->getCalledFunction()->getName() == name;
  });
}

/// What `phi` grows by in each trip of its loop, and where; null if that is not one number.
const llvm::BinaryOperator* growth(const llvm::PHINode& phi, const llvm::BasicBlock& latch) {
  const llvm::Value* next = phi.getIncomingValueForBlock(&latch);
  while (const auto* copy = llvm::dyn_cast<llvm::PHINode>(next)) {
    if (copy->getNumIncomingValues() != 1) return nullptr;
    next = copy->getIncomingValue(0);
  }
  const auto* add = llvm::dyn_cast<llvm::BinaryOperator>(next);
  return add && add->getOpcode() == llvm::Instruction::Add && add->getOperand(0) == &phi ? add
                                                                                         : nullptr;
}

}  // namespace

/// Gangs of one block that take turns in a loop over the grid read short runs far apart: what they
/// will read in the next trip is fetched now. In a kernel without barriers the runs are long.
void Widener::fetch_next_trip(const llvm::LoadInst& load, llvm::ArrayRef<llvm::Value*> first) {
  const llvm::Loop* loop = flow_.loop_of(load.getParent());
  const llvm::BasicBlock* latch = loop ? loop->getLoopLatch() : nullptr;
  if (!latch || !calls(*latch, gang_pause) ||
      llvm::none_of(source_, [](const llvm::BasicBlock& block) {
        return calls(block, lower::pseudo::barrier_sync);
      }))
    return;
  const Shape address = guesses_.of(load.getPointerOperand());
  for (const llvm::PHINode& phi : loop->getHeader()->phis()) {
    const Shape counter = shapes_.of(&phi);
    const llvm::BinaryOperator* add = growth(phi, *latch);
    if (!add || !counter.is_affine() || counter.stride == 0 || address.stride % counter.stride != 0)
      continue;
    llvm::Value* step = add->getOperand(1);
    const auto* made = llvm::dyn_cast<llvm::Instruction>(step);
    if (!shapes_.of(step).is_uniform() ||
        (made && made->getParent() != block_ && made->getParent() == add->getParent()))
      continue;
    llvm::Value* distance =
        b_.CreateMul(b_.CreateSExtOrTrunc(scalar(step), b_.getInt64Ty()),
                     b_.getInt64(static_cast<std::uint64_t>(address.stride / counter.stride)));
    for (llvm::Value* pointer : first)
      b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                         {b_.CreateGEP(b_.getInt8Ty(), pointer, distance), b_.getInt32(0),
                          b_.getInt32(3), b_.getInt32(1)});
    return;
  }
}

llvm::Value* Widener::emit_load(llvm::LoadInst& load) {
  const llvm::DataLayout& layout = source_.getParent()->getDataLayout();
  if (!load.isSimple()) return emit_lane_by_lane(load);
  llvm::Value* address = load.getPointerOperand();
  const Shape shape = shapes_.of(address);
  if (is_adjacent(shape, load.getType(), layout)) {
    note_access(load, adjacent_form(shape, rows_));
    prefetch_behind(load);
    const std::vector<llvm::Value*> first = pointers_of_rows(address);
    fetch_next_trip(load, first);
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
  if (!shape.is_varying() || is_unchecked(load) ||
      !is_adjacent(guesses_.of(address), load.getType(), layout)) {
    if (!is_unchecked(load)) note_access(load, apart_form("gather", shape));
    return gather(load, vector(address));
  }
  note_access(load, rows_ == 1 ? "contiguous or gather: tested at run time"
                               : "contiguous in each row or gather: tested at run time");
  llvm::Value* holds = nullptr;
  const std::vector<llvm::Value*> first = first_or_test(address, load.getType(), holds);
  const auto whole = [&] {
    fetch_next_trip(load, first);
    return std::vector{load_rows(load, first)};
  };
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
    note_access(store, adjacent_form(address, rows_));
    store_rows(store, pointers_of_rows(store.getPointerOperand()));
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
  if (!address.is_varying() || is_unchecked(store) ||
      !is_adjacent(guesses_.of(target), value->getType(), layout)) {
    if (!is_unchecked(store)) note_access(store, apart_form("scatter", address));
    scatter(vector(target));
    return;
  }
  note_access(store, rows_ == 1 ? "contiguous or scatter: tested at run time"
                                : "contiguous in each row or scatter: tested at run time");
  llvm::Value* holds = nullptr;
  const std::vector<llvm::Value*> first = first_or_test(target, value->getType(), holds);
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
