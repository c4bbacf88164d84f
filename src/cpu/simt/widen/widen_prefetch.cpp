// SPDX-License-Identifier: MIT
// Fetching ahead what other gangs, blocks or trips will read.

#include <algorithm>
#include <cstdint>

#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/slice.h"
#include "cpu/simt/analysis/warp_sites.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {

/// Blocks whose gangs wait for one another read in short bursts, too short for the processor to see
/// that the next block goes on where this one ends. What lies behind is usually the next one's.
void Widener::prefetch_behind(llvm::LoadInst& load) {
  // Of tiles four, which lie side by side.
  const std::uint64_t distance = rows_ == 1 ? processor_.fetch_distance : 256;
  constexpr std::uint64_t line = 64;
  // Kernels' own addresses are computed from integers; those of shared memory are not.
  if (!waits_ || !is_full(mask_) || flow_.loop_of(load.getParent()) ||
      !llvm::isa<llvm::IntToPtrInst>(load.getPointerOperand()))
    return;
  const std::uint64_t bytes =
      source_.getDataLayout().getTypeStoreSize(load.getType()).getFixedValue() * columns_;
  for (unsigned row = 0; row < rows_; ++row) {
    llvm::Value* first = row_value(load.getPointerOperand(), row);
    for (std::uint64_t at = 0; at < bytes; at += line) {
      b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {first->getType()},
                         {b_.CreateConstGEP1_64(b_.getInt8Ty(), first, distance + at),
                          b_.getInt32(0), b_.getInt32(3), b_.getInt32(1)});
    }
  }
}

namespace {

/// What `phi` grows by in each trip of its loop, and where; null if that is not one number.
const llvm::BinaryOperator* growth(const llvm::PHINode& phi, const llvm::BasicBlock& latch) {
  const llvm::Value* next = behind_copies(phi.getIncomingValueForBlock(&latch));
  const auto* add = llvm::dyn_cast<llvm::BinaryOperator>(next);
  return add && add->getOpcode() == llvm::Instruction::Add && add->getOperand(0) == &phi ? add
                                                                                         : nullptr;
}

/// What a phi of `loop`'s header is increased by from trip to trip: several numbers where several
/// trips have been written down one after the other. None if it is not increased alone, or by what
/// differs from trip to trip.
llvm::SmallVector<llvm::Value*, 4> steps_of(const llvm::PHINode& phi, const llvm::Loop& loop,
                                            const Shapes& shapes) {
  constexpr unsigned most_steps = 16;
  llvm::SmallVector<llvm::Value*, 4> steps;
  const llvm::Value* next = behind_copies(phi.getIncomingValueForBlock(loop.getLoopLatch()));
  while (next != &phi) {
    const auto* add = llvm::dyn_cast<llvm::BinaryOperator>(next);
    if (!add || add->getOpcode() != llvm::Instruction::Add || !loop.contains(add) ||
        steps.size() == most_steps)
      return {};
    llvm::Value* step = add->getOperand(1);
    const auto* made = llvm::dyn_cast<llvm::Instruction>(step);
    if ((made && loop.contains(made)) || !shapes.of(step).is_uniform()) return {};
    steps.push_back(step);
    next = behind_copies(add->getOperand(0));
  }
  return steps;
}

}  // namespace

/// By how many bytes a number or an address grows in each trip of `loop`, as far as that can be
/// told where `loop` is left by all lanes at once; null if it cannot.
llvm::Value* Widener::growth_of(llvm::Value* value, const llvm::Loop& loop, unsigned steps) {
  constexpr unsigned most_steps = 8;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || !loop.contains(instruction)) return b_.getInt64(0);
  if (steps == most_steps) return nullptr;
  const auto operand = [&](unsigned index) {
    return growth_of(instruction->getOperand(index), loop, steps + 1);
  };
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) {
    if (phi->getParent() != loop.getHeader()) return nullptr;
    llvm::Value* whole = nullptr;
    const llvm::SmallVector<llvm::Value*, 4> steps_of_trip = steps_of(*phi, loop, shapes_);
    for (llvm::Value* step : llvm::reverse(steps_of_trip)) {
      llvm::Value* own = b_.CreateSExtOrTrunc(scalar(step), b_.getInt64Ty());
      whole = whole ? b_.CreateAdd(whole, own) : own;
    }
    return whole;
  }
  if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(instruction)) {
    llvm::Value *base = operand(0), *index = address->getNumIndices() == 1 ? operand(1) : nullptr;
    if (!base || !index) return nullptr;
    const llvm::DataLayout& layout = source_.getDataLayout();
    const std::uint64_t bytes =
        layout.getTypeAllocSize(address->getSourceElementType()).getFixedValue();
    return b_.CreateAdd(base, b_.CreateMul(index, b_.getInt64(bytes)));
  }
  switch (instruction->getOpcode()) {
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::PtrToInt:
      return operand(0);
    case llvm::Instruction::Add:
    case llvm::Instruction::Or: {
      const auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(instruction);
      llvm::Value *left = operand(0), *right = operand(1);
      if (!left || !right || (disjoint && !disjoint->isDisjoint())) return nullptr;
      return b_.CreateAdd(left, right);
    }
    case llvm::Instruction::Shl: {
      llvm::Value* left = operand(0);
      const auto* by = llvm::dyn_cast<llvm::ConstantInt>(instruction->getOperand(1));
      return left && by ? b_.CreateShl(left, by->getZExtValue()) : nullptr;
    }
    default:
      return nullptr;
  }
}

/// Fetches what lies `distance` bytes behind all that a load of rows that begin at `first` reads.
void Widener::prefetch_lines(const llvm::LoadInst& load, llvm::ArrayRef<llvm::Value*> first,
                             llvm::Value* distance) {
  constexpr std::uint64_t line = 64;
  const std::uint64_t bytes =
      source_.getDataLayout().getTypeStoreSize(load.getType()).getFixedValue() * columns_;
  for (llvm::Value* pointer : first) {
    for (std::uint64_t at = 0; at < bytes; at += line) {
      llvm::Value* place =
          b_.CreateGEP(b_.getInt8Ty(), pointer, b_.CreateAdd(distance, b_.getInt64(at)));
      b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                         {place, b_.getInt32(0), b_.getInt32(3), b_.getInt32(1)});
    }
  }
}

/// In loops from barrier to barrier a block reads a little, computes with it for long, and goes on
/// elsewhere: too rarely at each place for the processor to see where. So what the next trip will
/// read is fetched now.
bool Widener::prefetch_over_barrier(const llvm::LoadInst& load,
                                    llvm::ArrayRef<llvm::Value*> first) {
  const llvm::Loop* loop = flow_.loop_of(load.getParent());
  if (!loop || !is_full(mask_) || !loop->getLoopLatch() ||
      llvm::none_of(loop->blocks(), [](const llvm::BasicBlock* block) {
        return calls(*block, lower::pseudo::barrier_sync);
      }))
    return false;
  llvm::Value* distance = growth_of(const_cast<llvm::Value*>(load.getPointerOperand()), *loop, 0);
  const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(distance);
  if (!distance || (number && number->isZero())) return false;
  note(load, PlanNote::Kind::Other, "what the next trip reads is fetched now");
  prefetch_lines(load, first, distance);
  return true;
}

/// Whether something in `loop` reads where a list says.
bool Widener::has_list(const llvm::Loop& loop) {
  const auto [known, is_new] = have_lists_.try_emplace(&loop, false);
  if (!is_new) return known->second;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load && shapes_.of(load->getPointerOperand()).is_varying() && follows_list(*load))
        return known->second = true;
    }
  }
  return false;
}

/// Lists that all lanes read side by side, entry after entry, have each trip's entries in another
/// page, where the processor does not look ahead; what the entries name keeps it busy for so long
/// that the next trip's load comes late. So entries of a few trips later are fetched now.
void Widener::prefetch_list(const llvm::LoadInst& load, llvm::ArrayRef<llvm::Value*> first) {
  constexpr unsigned entries_ahead = 4;
  constexpr std::uint64_t page = 4096;
  const llvm::Loop* loop = flow_.loop_of(load.getParent());
  if (!loop || !loop->getLoopLatch() || !is_full(mask_) || rows_ != 1 || !has_list(*loop)) return;
  llvm::Value* distance = growth_of(const_cast<llvm::Value*>(load.getPointerOperand()), *loop, 0);
  if (!distance) return;
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(distance);
      number && number->getValue().abs().ult(page))
    return;
  std::size_t entries = 1;  // of a trip
  for (const llvm::PHINode& phi : loop->getHeader()->phis()) {
    if (phi.getType()->isIntegerTy())
      entries = std::max(entries, steps_of(phi, *loop, shapes_).size());
  }
  note(load, PlanNote::Kind::Other, "what a later trip reads is fetched now");
  distance = b_.CreateMul(distance, b_.getInt64(std::max<std::size_t>(entries_ahead / entries, 1)));
  prefetch_lines(load, first, distance);
}

/// Gangs that take turns in a loop over the grid read runs far apart: what they will read a trip or
/// a few later is fetched now.
///
/// In kernels with barriers the gangs are those of one block, and one trip of it is shorter than
/// what memory takes. In others they are those of all blocks that a worker has. Runs as long as
/// `longest_trip` need no help, and what is fetched so far ahead would be gone again.
void Widener::prefetch_next_trip(const llvm::LoadInst& load, llvm::ArrayRef<llvm::Value*> first) {
  constexpr std::uint64_t trips_ahead = 4, longest_trip = std::uint64_t{1024} * 1024;
  const llvm::Loop* loop = flow_.loop_of(load.getParent());
  const llvm::BasicBlock* latch = loop ? loop->getLoopLatch() : nullptr;
  if (!latch || !calls(*latch, gang_pause)) return;
  const bool of_one_block = has_barriers(source_);
  const Shape address = guesses_.of(load.getPointerOperand());
  for (const llvm::PHINode& phi : loop->getHeader()->phis()) {
    const Shape counter = shapes_.of(&phi);
    const llvm::BinaryOperator* add = growth(phi, *latch);
    if (!add || !counter.is_affine() || counter.stride == 0 || address.stride % counter.stride != 0)
      continue;
    llvm::Value* step = add->getOperand(1);
    if (!shapes_.of(step).is_uniform() || !is_at_hand(step)) continue;
    llvm::Value* trip =
        b_.CreateMul(b_.CreateSExtOrTrunc(scalar(step), b_.getInt64Ty()),
                     b_.getInt64(static_cast<std::uint64_t>(address.stride / counter.stride)));
    llvm::Value* distance = of_one_block
                                ? b_.CreateMul(trip, b_.getInt64(trips_ahead))
                                : b_.CreateSelect(b_.CreateICmpULT(trip, b_.getInt64(longest_trip)),
                                                  trip, b_.getInt64(0));
    note(load, PlanNote::Kind::Other, "what a later trip reads is fetched now");
    prefetch_lines(load, first, distance);
    return;
  }
}

/// Blocks that walk a row of memory each, barriers between their walks, end too soon for the
/// processor to look ahead past the row: so what lies behind is fetched, of the same row or of a
/// next block's.
void Widener::prefetch_next_row(const llvm::LoadInst& load, llvm::ArrayRef<llvm::Value*> first) {
  const llvm::Loop* loop = flow_.loop_of(load.getParent());
  if (!waits_ || !loop || !loop->getLoopLatch() || rows_ != 1 ||
      llvm::any_of(loop->blocks(), [](const llvm::BasicBlock* block) {
        return calls(*block, lower::pseudo::barrier_sync) || calls(*block, gang_pause);
      }))
    return;
  const auto* step = llvm::dyn_cast_or_null<llvm::ConstantInt>(
      growth_of(const_cast<llvm::Value*>(load.getPointerOperand()), *loop, 0));
  if (!step || !step->getValue().isStrictlyPositive() ||
      step->getValue().ugt(processor_.fetch_distance))
    return;
  prefetch_lines(load, first, b_.getInt64(processor_.fetch_distance));
}

void Widener::fetch_ahead(const llvm::LoadInst& load, llvm::ArrayRef<llvm::Value*> first) {
  prefetch_next_trip(load, first);
  prefetch_next_row(load, first);
  if (!prefetch_over_barrier(load, first)) prefetch_list(load, first);
}

}  // namespace pycuda::cpu::simt
