// SPDX-License-Identifier: MIT
// Accesses of gangs, where races are looked for: the states of words of shared memory that the
// lanes of a row access side by side, or all at once, are asked and set here; all else is told.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/MDBuilder.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "cpu/kernel_abi/checks.h"
#include "cpu/kernel_abi/word_states.h"
#include "cpu/lower/line_notes.h"
#include "cpu/simt/analysis/special_values.h"
#include "cpu/simt/widen/racing_access.h"

namespace pycuda::cpu::simt {

namespace {

enum Argument : unsigned { Thread, Address, Bytes };

}  // namespace

/// A WordStates.
llvm::Value* Widener::word_states() {
  llvm::Value* ranges = allowed_ranges();
  return at_start("word states", [&](llvm::IRBuilder<>& b) {
    constexpr std::int64_t before = -static_cast<std::int64_t>(sizeof(AllowedRange));
    llvm::Value* place =
        b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), ranges, static_cast<std::uint64_t>(before));
    return load_field(b, place, offsetof(AllowedRange, room), b.getPtrTy(), true);
  });
}

llvm::Value* Widener::word_field(std::size_t offset, llvm::Type* type, bool invariant) {
  return load_field(b_, word_states(), offset, type, invariant);
}

/// What states of words are compared with that were set before the last barrier.
llvm::Value* Widener::word_base() {
  return word_field(offsetof(WordStates, base), b_.getInt32Ty(), false);
}

llvm::Value* Widener::read_by_many(llvm::Value* base) {
  return b_.CreateOr(base, b_.getInt32(WordState::mark(WordState::ReadByMany)));
}

/// Volatile: what is told of other accesses changes it.
llvm::LoadInst* Widener::load_states(llvm::Type* type, llvm::Value* at) {
  return b_.CreateAlignedLoad(type, at, llvm::Align(word_bytes), /*isVolatile=*/true);
}

/// Where the state of the row's first word is.
llvm::Value* Widener::state_of(const RacingRow& row) {
  return b_.CreateIntToPtr(
      b_.CreateAdd(row.address, word_field(offsetof(WordStates, states), b_.getInt64Ty(), true)),
      b_.getPtrTy());
}

/// How far behind it, in the next array and the one after it, is where it was accessed, and by
/// which lanes.
llvm::Value* Widener::state_array() {
  return word_field(offsetof(WordStates, array), b_.getInt64Ty(), true);
}

llvm::Value* Widener::beside_state(llvm::Value* state, llvm::Value* array) {
  return b_.CreateGEP(b_.getInt8Ty(), state, array);
}

llvm::Value* Widener::stamp_of(llvm::Value* thread, llvm::Value* warp) {
  llvm::Value* stamps =
      b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), word_states(), offsetof(WordStates, stamps));
  if (!warp) warp = b_.CreateLShr(thread, 5);
  return b_.CreateAlignedLoad(b_.getInt32Ty(), b_.CreateGEP(b_.getInt32Ty(), stamps, warp),
                              llvm::Align(word_bytes));
}

/// The number of the row's first thread in its block.
llvm::Value* Widener::first_thread(unsigned row) {
  return at_start("first thread " + std::to_string(row), [&](llvm::IRBuilder<>& b) {
    llvm::Value* thread = target_->getArg(0);
    llvm::Value* first = load_word(b, thread, offsetof(ThreadFrame, linear), true);
    if (row == 0) return first;
    llvm::Value* launch = load_launch(b, load_block(b, thread));
    llvm::Value* width = load_word(b, launch, offsetof(LaunchFrame, block.x), true);
    return b.CreateAdd(first, b.CreateMul(width, b.getInt32(row)));
  });
}

/// As packed_place, of what `note` tells of.
llvm::Value* Widener::place_told(const llvm::CallInst& note) {
  // The notes of lines before it, as a rule in its block.
  std::optional<std::uint64_t> known_line, known_file;
  for (const llvm::Instruction* before = note.getPrevNode(); before;
       before = before->getPrevNode()) {
    if (!lower::is_line_note(*before)) continue;
    const auto* store = llvm::cast<llvm::StoreInst>(before);
    std::int64_t offset = 0;
    llvm::GetPointerBaseWithConstantOffset(store->getPointerOperand(), offset,
                                           store->getDataLayout());
    auto& known = offset == offsetof(ThreadFrame, source_line) ? known_line : known_file;
    if (!known) known = llvm::cast<llvm::ConstantInt>(store->getValueOperand())->getZExtValue();
    if (known_line && known_file)
      return b_.getInt32(packed_place(static_cast<std::uint32_t>(*known_line),
                                      static_cast<std::uint32_t>(*known_file)));
  }
  const auto field = [&](std::size_t offset) {
    return load_word(b_, target_->getArg(0), offset, false);
  };
  llvm::Value* line = field(offsetof(ThreadFrame, source_line));
  llvm::Value* file = field(offsetof(ThreadFrame, source_file));
  llvm::Value* fits =
      b_.CreateAnd(b_.CreateICmpULT(line, b_.getInt32(1u << source_line_bits)),
                   b_.CreateICmpULT(file, b_.getInt32(1u << (32 - source_line_bits))));
  return b_.CreateSelect(fits, b_.CreateOr(line, b_.CreateShl(file, source_line_bits)),
                         b_.getInt32(0));
}

/// At how many bytes of the block's own shared memory `span` bytes of it begin.
llvm::Value* Widener::starts_in_block(llvm::ConstantInt* span) {
  llvm::Value* states = word_states();
  return at_start("starts " + std::to_string(span->getZExtValue()), [&](llvm::IRBuilder<>& b) {
    llvm::Value* bytes = load_field(b, states, offsetof(WordStates, bytes), b.getInt64Ty(), true);
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, b.CreateAdd(bytes, b.getInt64(1)),
                                   span);
  });
}

/// Whether what the rows' lanes access lies in the block's own shared memory, and for writes, no
/// two rows write to the same place.
llvm::Value* Widener::are_words_of_block(const RacingAccess& access,
                                         llvm::ArrayRef<RacingRow> rows) {
  llvm::Type* number = b_.getInt64Ty();
  llvm::Value* window = word_field(offsetof(WordStates, window), number, true);
  llvm::ConstantInt* span = b_.getInt64(
      static_cast<std::uint64_t>(access.shape.stride) * (access.lanes - 1) + access.bytes);
  llvm::Value* starts = starts_in_block(span);
  llvm::Value* all = b_.getTrue();
  for (const RacingRow& row : rows) {
    all = b_.CreateAnd(all, b_.CreateICmpULT(b_.CreateSub(row.address, window), starts));
    for (const RacingRow& other : rows.take_front(row.number)) {
      llvm::Value* far = b_.CreateAdd(b_.CreateSub(row.address, other.address), span);
      llvm::Value* least = b_.CreateAdd(span, span);
      all = b_.CreateAnd(all, b_.CreateICmpUGE(far, least));
    }
  }
  return all;
}

/// Whether nothing is wrong with what the lanes write to words side by side, or of what they read,
/// all is known.
llvm::Value* Widener::look_at_words(const RacingAccess& access, RacingRow& row) {
  const auto per_lane = static_cast<unsigned>(access.bytes / word_bytes);
  const unsigned words = access.lanes * per_lane;
  const auto splat = [&](llvm::Value* value) { return b_.CreateVectorSplat(words, value); };
  const auto marked = [&](llvm::Value* value, WordState::Kind kind) {
    return b_.CreateOr(value, splat(b_.getInt32(WordState::mark(kind))));
  };
  row.state = state_of(row);
  llvm::Value* state = load_states(llvm::FixedVectorType::get(b_.getInt32Ty(), words), row.state);
  llvm::Value* thread = first_thread(row.number);
  llvm::Value* stamp = stamp_of(thread);
  llvm::Value* base = word_base();
  llvm::SmallVector<llvm::Constant*, 64> steps;
  for (unsigned word = 0; word < words; ++word) steps.push_back(b_.getInt32(word / per_lane));
  const std::uint32_t size = WordState::size(llvm::Log2_64(access.bytes));
  llvm::Value* own =
      b_.CreateAdd(splat(b_.CreateAdd(b_.CreateAdd(stamp, thread), b_.getInt32(size))),
                   llvm::ConstantVector::get(steps));
  llvm::Value* known = nullptr;
  if (access.is_read()) {
    known = b_.CreateICmpEQ(b_.CreateAnd(state, splat(b_.getInt32(~WordState::own_kinds))), own);
    known = b_.CreateOr(known, b_.CreateICmpEQ(state, splat(read_by_many(base))));
    row.own = own;
    row.sets = b_.CreateNot(known);
    row.before = state;
  } else {
    row.own = marked(own, WordState::Written);
    row.sets = b_.CreateOr(b_.CreateICmpULT(state, splat(base)), b_.CreateICmpEQ(state, own));
    known = b_.CreateOr(b_.CreateICmpEQ(state, row.own),
                        b_.CreateICmpEQ(state, marked(own, WordState::AlsoWritten)));
  }
  llvm::Value* wrong = access.is_read() ? row.sets : b_.CreateNot(b_.CreateOr(known, row.sets));
  if (row.lanes) {
    llvm::Value* lanes = row.lanes;
    if (per_lane != 1)
      lanes = b_.CreateShuffleVector(
          lanes,
          llvm::createReplicatedMask(static_cast<int>(per_lane), static_cast<int>(access.lanes)));
    wrong = b_.CreateAnd(lanes, wrong);
    row.sets = b_.CreateAnd(lanes, row.sets);
  }
  return b_.CreateNot(b_.CreateOrReduce(wrong));
}

/// Whether the words that are read have not been accessed since the barrier, as far as they are not
/// known.
llvm::Value* Widener::are_fresh(const RacingRow& row) {
  llvm::Value* base = word_base();
  auto* type = llvm::cast<llvm::FixedVectorType>(row.before->getType());
  llvm::Value* old =
      b_.CreateICmpUGE(row.before, b_.CreateVectorSplat(type->getNumElements(), base));
  return b_.CreateNot(b_.CreateOrReduce(b_.CreateAnd(row.sets, old)));
}

/// Whether the words that are read and not known have been read alone, in the same line, by threads
/// of one warp each: then their states are those of words that several have read.
llvm::Value* Widener::join_readers(const RacingAccess& access, RacingRow& row) {
  auto* type = llvm::cast<llvm::FixedVectorType>(row.before->getType());
  const auto all = [&](std::uint32_t number) { return llvm::ConstantInt::get(type, number); };
  const auto splat = [&](llvm::Value* value) {
    return b_.CreateVectorSplat(type->getNumElements(), value);
  };
  llvm::Value* array = state_array();
  llvm::Value* base = word_base();
  llvm::Value* places = beside_state(row.state, array);
  llvm::Value* known_lanes = load_states(type, beside_state(places, array));
  constexpr std::uint32_t names = (1u << WordState::kind_begin) - 1;
  constexpr std::uint32_t kinds = (1u << (WordState::size_begin - WordState::kind_begin)) - 1;
  constexpr std::uint32_t in_warp = warp_size - 1;
  llvm::Value* kind = b_.CreateAnd(b_.CreateLShr(row.before, WordState::kind_begin), all(kinds));
  llvm::Value* by_one = b_.CreateICmpEQ(kind, all(WordState::Read));
  llvm::Value* name = b_.CreateAnd(row.before, all(names));
  llvm::Value* thread = b_.CreateAnd(row.own, all(names));
  llvm::Value* warp = b_.CreateLShr(thread, 5);
  llvm::Value* other = b_.CreateSelect(by_one, b_.CreateLShr(name, 5), name);
  llvm::Value* lane = b_.CreateShl(all(1), b_.CreateAnd(thread, all(in_warp)));
  llvm::Value* before =
      b_.CreateSelect(by_one, b_.CreateShl(all(1), b_.CreateAnd(name, all(in_warp))), known_lanes);
  llvm::Value* differs = b_.CreateXor(row.before, row.own);
  llvm::Value* is_own = b_.CreateICmpEQ(other, warp);
  llvm::Value* is_now = b_.CreateICmpULT(differs, all(1u << WordState::stamp_begin));
  llvm::Value* same_size =
      b_.CreateICmpULT(b_.CreateAnd(differs, all((1u << WordState::stamp_begin) - 1)),
                       all(1u << WordState::size_begin));
  llvm::Value* sound = b_.CreateICmpUGE(row.before, splat(base));
  sound =
      b_.CreateAnd(sound, b_.CreateOr(by_one, b_.CreateICmpEQ(kind, all(WordState::ReadInWarp))));
  sound = b_.CreateAnd(sound, same_size);
  sound = b_.CreateAnd(sound, b_.CreateICmpEQ(load_states(type, places), splat(access.place)));
  sound = b_.CreateAnd(sound, b_.CreateOr(is_now, b_.CreateNot(is_own)));
  llvm::Value* in_own = b_.CreateOr(
      b_.CreateOr(b_.CreateAnd(row.own, all(~names)), all(WordState::mark(WordState::ReadInWarp))),
      warp);
  llvm::Value* many = splat(read_by_many(base));
  // Of two warps one thread each, and the size.
  llvm::Value* first =
      b_.CreateOr(b_.CreateShl(other, 5),
                  b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, before, b_.getFalse()));
  llvm::Value* both = b_.CreateOr(b_.CreateOr(first, b_.CreateShl(thread, WordState::second_begin)),
                                  all(llvm::Log2_64(access.bytes) << WordState::two_size_begin));
  row.own_lanes = b_.CreateSelect(is_own, b_.CreateOr(before, lane), both);
  row.own = b_.CreateSelect(is_own, in_own, many);
  return b_.CreateNot(b_.CreateOrReduce(b_.CreateAnd(row.sets, b_.CreateNot(sound))));
}

void Widener::put_readers(const RacingRow& row) {
  llvm::Value* array = state_array();
  llvm::Value* places = beside_state(row.state, array);
  b_.CreateMaskedStore(row.own, row.state, llvm::Align(word_bytes), row.sets);
  b_.CreateMaskedStore(row.own_lanes, beside_state(places, array), llvm::Align(word_bytes),
                       row.sets);
}

void Widener::put_words(const RacingAccess& access, const RacingRow& row) {
  const auto words = static_cast<unsigned>(access.lanes * access.bytes / word_bytes);
  llvm::Value* array = state_array();
  b_.CreateMaskedStore(row.own, row.state, llvm::Align(word_bytes), row.sets);
  b_.CreateMaskedStore(b_.CreateVectorSplat(words, access.place), beside_state(row.state, array),
                       llvm::Align(word_bytes), row.sets);
}

/// Whether nothing is wrong with all lanes reading a word.
llvm::Value* Widener::look_at_word(const RacingAccess& access, RacingRow& row) {
  llvm::Type* word = b_.getInt32Ty();
  llvm::Value* array = state_array();
  row.state = state_of(row);
  llvm::Value* places = beside_state(row.state, array);
  llvm::Value* state = load_states(word, row.state);
  llvm::Value* known_lanes = load_states(word, beside_state(places, array));
  llvm::Value* thread = first_thread(row.number);
  llvm::Value* warp = b_.CreateLShr(thread, 5);
  llvm::Value* in_warp = b_.CreateAnd(thread, b_.getInt32(warp_size - 1));
  llvm::Value* lanes = b_.getInt32(access.lanes == warp_size ? ~0u : (1u << access.lanes) - 1);
  if (row.lanes)
    lanes = b_.CreateZExt(b_.CreateBitCast(row.lanes, b_.getIntNTy(access.lanes)), word);
  lanes = b_.CreateShl(lanes, in_warp);
  llvm::Value* is_whole = b_.CreateICmpULE(in_warp, b_.getInt32(warp_size - access.lanes));
  llvm::Value* stamp = stamp_of(thread, warp);
  llvm::Value* base = word_base();
  row.own =
      b_.CreateOr(b_.CreateOr(stamp, warp), b_.getInt32(WordState::mark(WordState::ReadInWarp)));
  llvm::Value* many = b_.CreateICmpEQ(state, read_by_many(base));
  llvm::Value* same = b_.CreateICmpEQ(state, row.own);
  llvm::Value* both = b_.CreateOr(known_lanes, lanes);
  llvm::Value* known = b_.CreateOr(many, b_.CreateAnd(same, b_.CreateICmpEQ(both, known_lanes)));
  known = b_.CreateOr(known, b_.CreateIsNull(lanes));
  llvm::Value* fresh = b_.CreateICmpULT(state, base);
  llvm::Value* more = b_.CreateAnd(same, b_.CreateICmpEQ(load_states(word, places), access.place));
  row.sets = b_.CreateAnd(b_.CreateOr(fresh, more), b_.CreateNot(known));
  row.own_lanes = b_.CreateSelect(fresh, lanes, both);
  return b_.CreateAnd(is_whole, b_.CreateOr(known, row.sets));
}

void Widener::put_word(const RacingAccess& access, const RacingRow& row) {
  llvm::Value* array = state_array();
  llvm::Value* places = beside_state(row.state, array);
  const auto store = [&](llvm::Value* value, llvm::Value* at) {
    b_.CreateAlignedStore(value, at, llvm::Align(word_bytes), /*isVolatile=*/true);
  };
  store(row.own, row.state);
  store(access.place, places);
  store(row.own_lanes, beside_state(places, array));
}

/// Whether what its lanes write matters.
llvm::Value* Widener::tell_of_row(const RacingAccess& access, unsigned row) {
  llvm::Value* lanes = bits_of(mask_);
  if (access.rows > 1)
    lanes = b_.CreateAnd(b_.CreateLShr(lanes, std::uint64_t{row} * columns_),
                         b_.getInt64((std::uint64_t{1} << columns_) - 1));
  return b_.CreateIsNotNull(
      call_checks("pycuda_cpu_note_row",
                  {target_->getArg(0), row_value(access.address, row),
                   b_.getInt64(static_cast<std::uint64_t>(access.shape.stride)), lanes,
                   b_.getInt64(packed_access(access.bytes, access.flags, row * columns_))},
                  b_.getInt32Ty()));
}

/// What lanes of several rows write may be the same place, so all are told of at once.
void Widener::tell_of_lanes(llvm::CallInst& note, const RacingAccess& access) {
  llvm::Value* matters = nullptr;
  const bool by_row = !access.shape.is_varying() && (access.rows == 1 || !access.is_plain_write());
  for (unsigned row = 0; by_row && row < access.rows; ++row) {
    llvm::Value* found = tell_of_row(access, row);
    matters = matters ? b_.CreateOr(matters, found) : found;
  }
  if (!by_row)
    matters = b_.CreateIsNotNull(
        call_checks("pycuda_cpu_note_lanes",
                    {target_->getArg(0), in_memory(access.address, 0), bits_of(mask_),
                     b_.getInt64(packed_access(access.bytes, access.flags))},
                    b_.getInt32Ty()));
  if (!access.is_plain_write()) return;
  seldom(matters, "written", [&] {
    tell("pycuda_cpu_note_written", mask_, note, access.flags,
         (access.flags & AccessFlags::has_value) != 0);
  });
}

/// Of words that are read, not all of which are known: goes on where fresh ones are put, where all
/// is done, or where the row is told of.
void Widener::emit_read_of_unknown(const RacingAccess& access, RacingRow& row,
                                   llvm::BasicBlock* put, llvm::BasicBlock* call,
                                   llvm::BasicBlock* after) {
  if (access.bytes != word_bytes) {
    b_.CreateCondBr(are_fresh(row), put, call);
    b_.SetInsertPoint(put);
    return;
  }
  llvm::BasicBlock *several = new_block("several"), *join = new_block("join");
  b_.CreateCondBr(are_fresh(row), put, several);
  b_.SetInsertPoint(several);
  RacingRow readers = row;
  b_.CreateCondBr(join_readers(access, readers), join, call);
  b_.SetInsertPoint(join);
  put_readers(readers);
  b_.CreateBr(after);
  b_.SetInsertPoint(put);
}

void Widener::emit_race_note(llvm::CallInst& note, std::uint64_t flags) {
  llvm::Value* address = note.getArgOperand(Address);
  const Shape shape = shapes_.of(address);
  RacingAccess access{
      address, shape, llvm::cast<llvm::ConstantInt>(note.getArgOperand(Bytes))->getZExtValue(),
      flags,   rows_, columns_};
  if (!access.has_states() && !access.may_be_lines()) {
    tell_of_lanes(note, access);
    return;
  }
  access.place = place_told(note);
  if (!access.has_states()) {
    for (unsigned row = 0; row < access.rows; ++row) {
      llvm::BasicBlock* after = access.look_at_lines(*this, row);
      if (access.rows == 1) {
        tell_of_lanes(note, access);
      } else {
        tell_of_row(access, row);
      }
      b_.CreateBr(after);
      b_.SetInsertPoint(after);
    }
    return;
  }
  const auto row_of = [&](unsigned number) -> RacingRow {
    return {number, row_value(address, number),
            is_full(mask_) ? nullptr : row_lanes(mask_, number)};
  };
  llvm::MDNode* weights = llvm::MDBuilder(b_.getContext()).createLikelyBranchWeights();
  const auto branch = [&](llvm::Value* condition, llvm::BasicBlock* yes, llvm::BasicBlock* no) {
    b_.CreateCondBr(condition, yes, no, weights);
    b_.SetInsertPoint(yes);
  };
  if (access.is_read()) {
    // One row after the other: they may read the same words.
    for (unsigned number = 0; number < access.rows; ++number) {
      RacingRow row = row_of(number);
      llvm::BasicBlock *look = new_block("look"), *sound = new_block("sound"),
                       *put = new_block("put"), *call = new_block("tell"),
                       *after = new_block("noted");
      branch(are_words_of_block(access, RacingRow{0, row.address, nullptr}), look, call);
      if (shape.stride == 0) {
        branch(look_at_word(access, row), sound, call);
        branch(row.sets, put, after);
        put_word(access, row);
      } else {
        b_.CreateCondBr(look_at_words(access, row), after, sound);
        b_.SetInsertPoint(sound);
        emit_read_of_unknown(access, row, put, call, after);
        put_words(access, row);
      }
      b_.CreateBr(after);
      b_.SetInsertPoint(call);
      tell_of_row(access, number);
      b_.CreateBr(after);
      b_.SetInsertPoint(after);
    }
    return;
  }
  llvm::SmallVector<RacingRow, 4> rows;
  for (unsigned number = 0; number < access.rows; ++number) rows.push_back(row_of(number));
  llvm::BasicBlock *look = new_block("look"), *put = new_block("put"), *call = new_block("tell"),
                   *after = new_block("noted");
  branch(are_words_of_block(access, rows), look, call);
  llvm::Value* sound = b_.getTrue();
  for (RacingRow& row : rows) sound = b_.CreateAnd(sound, look_at_words(access, row));
  branch(sound, put, call);
  for (const RacingRow& row : rows) put_words(access, row);
  b_.CreateBr(after);
  b_.SetInsertPoint(call);
  tell_of_lanes(note, access);
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
}

/// Behind a barrier of the whole block. The first gang that passes it tells.
void Widener::emit_passed_note() {
  llvm::Type* count = b_.getInt32Ty();
  llvm::Value* all = word_field(offsetof(WordStates, passed), b_.getPtrTy(), true);
  llvm::Value* own = b_.CreateGEP(count, all, b_.CreateZExt(first_thread(0), b_.getInt64Ty()));
  llvm::Value* before = load_states(count, own);
  b_.CreateAlignedStore(b_.CreateAdd(before, b_.getInt32(1)), own, llvm::Align(4),
                        /*isVolatile=*/true);
  llvm::Value* opened = load_states(
      count,
      b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), word_states(), offsetof(WordStates, opened)));
  seldom(b_.CreateICmpEQ(before, opened), "passed",
         [&] { change_order("pycuda_cpu_note_gang_passed", {target_->getArg(0)}); });
}

}  // namespace pycuda::cpu::simt
