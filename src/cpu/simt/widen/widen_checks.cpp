// SPDX-License-Identifier: MIT
// Checked accesses of gangs: a comparison of all lanes' addresses with what the access may touch,
// and a call where that does not hold, which looks at each lane and learns.
#include <llvm/IR/MDBuilder.h>

#include <cstddef>

#include "cpu/kernel_abi/checks.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/special_values.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {

namespace pseudo = lower::pseudo;

namespace {

enum Argument : unsigned { Thread, Address, Bytes, IsWrite, Site };

std::uint64_t number(const llvm::CallInst& call, unsigned argument) {
  return llvm::cast<llvm::ConstantInt>(call.getArgOperand(argument))->getZExtValue();
}

}  // namespace

/// What an access may touch, as the gang's memory says it now.
struct Widener::Allowed {
  llvm::Value* place;  ///< of the AllowedRange
  llvm::Value *begin, *room;
};

llvm::Value* Widener::allowed_ranges() {
  return at_start("allowed", [&](llvm::IRBuilder<>& b) {
    return load_field(b, load_block(b, target_->getArg(0)), offsetof(BlockFrame, allowed),
                      b.getPtrTy(), true);
  });
}

Widener::Allowed Widener::allowed_range(const llvm::CallInst& check) {
  Allowed allowed{};
  allowed.place = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), allowed_ranges(),
                                                number(check, Site) * sizeof(AllowedRange));
  const auto field = [&](std::size_t offset) {
    return load_field(b_, allowed.place, offset, b_.getInt64Ty(), false);
  };
  allowed.begin = field(offsetof(AllowedRange, begin));
  allowed.room = field(offsetof(AllowedRange, room));
  return allowed;
}

/// Whether no active lane of the gang leaves the range, asked of each.
llvm::Value* Widener::lanes_are_allowed(llvm::Value* address, const Allowed& allowed) {
  llvm::Value* far =
      b_.CreateICmpUGT(b_.CreateSub(vector(address), b_.CreateVectorSplat(lanes_, allowed.begin)),
                       b_.CreateVectorSplat(lanes_, allowed.room));
  return b_.CreateNot(any(active(far)));
}

/// Whether no lane at all leaves the range: of addresses that are not varying, in which the first
/// and the last lane of each row are the outermost.
llvm::Value* Widener::ends_are_allowed(llvm::Value* address, const Allowed& allowed) {
  const Shape shape = shapes_.of(address);
  const std::int64_t last = shape.stride * static_cast<std::int64_t>(columns_ - 1);
  llvm::Value* all = b_.getTrue();
  for (unsigned row = 0; row < (shape.by_row ? rows_ : 1); ++row) {
    llvm::Value* first = row_value(address, row);
    if (last < 0) first = b_.CreateAdd(first, b_.getInt64(static_cast<std::uint64_t>(last)));
    llvm::Value* low = b_.CreateSub(first, allowed.begin);
    all = b_.CreateAnd(all, b_.CreateICmpULE(low, allowed.room));
    if (last == 0) continue;
    llvm::Value* high = b_.CreateAdd(low, b_.getInt64(static_cast<std::uint64_t>(std::abs(last))));
    all = b_.CreateAnd(all, b_.CreateICmpULE(high, allowed.room));
  }
  return all;
}

std::uint64_t Widener::packed_access(std::uint64_t bytes, std::uint64_t flags,
                                     std::uint32_t first_lane) const {
  return AccessOfGang{static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(flags),
                      columns_, source_.hasFnAttribute(lies_in_line), first_lane}
      .packed();
}

/// The lanes' values of `value`, an i64, where a call can read them: `number` tells apart what one
/// call reads.
llvm::Value* Widener::in_memory(llvm::Value* value, unsigned number) {
  llvm::AllocaInst* memory = lane_memory(number);
  b_.CreateAlignedStore(vector(value), memory, llvm::Align(64));
  return memory;
}

llvm::Value* Widener::bits_of(llvm::Value* lanes) {
  return b_.CreateZExt(b_.CreateBitCast(lanes, b_.getIntNTy(lanes_)), b_.getInt64Ty());
}

/// Runs `body` where `condition`, which hardly ever holds, does.
void Widener::seldom(llvm::Value* condition, const char* name, llvm::function_ref<void()> body) {
  where(condition, name, body, llvm::MDBuilder(b_.getContext()).createUnlikelyBranchWeights());
}

void Widener::where(llvm::Value* condition, const char* name, llvm::function_ref<void()> body,
                    llvm::MDNode* weights) {
  llvm::BasicBlock* rare = new_block(name);
  llvm::BasicBlock* after = new_block("checked");
  b_.CreateCondBr(condition, rare, after, weights);
  b_.SetInsertPoint(rare);
  body();
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
}

/// What a call reads of the program's memory it does not change.
llvm::CallInst* Widener::call_checks(const char* name, llvm::ArrayRef<llvm::Value*> arguments,
                                     llvm::Type* result) {
  llvm::CallInst* call = call_by_name(b_, name, result ? result : b_.getVoidTy(), arguments);
  call->setMemoryEffects(llvm::MemoryEffects::readOnly() |
                         llvm::MemoryEffects::inaccessibleOrArgMemOnly());
  call->setDoesNotThrow();
  return call;
}

void Widener::emit_memory_check(llvm::CallInst& check) {
  llvm::Value* address = check.getArgOperand(Address);
  const Shape shape = shapes_.of(address);
  const Allowed allowed = allowed_range(check);
  const auto look = [&] {
    const std::uint64_t flags = number(check, IsWrite) != 0 ? AccessFlags::write : 0;
    call_checks("pycuda_cpu_check_gang",
                {target_->getArg(0), in_memory(address, 0), bits_of(mask_),
                 b_.getInt64(packed_access(number(check, Bytes), flags)), allowed.place})
        ->addFnAttr(llvm::Attribute::Cold);
  };
  const auto look_at_lanes = [&] {
    seldom(b_.CreateNot(lanes_are_allowed(address, allowed)), "look", look);
  };
  if (shape.is_varying()) {
    look_at_lanes();
    return;
  }
  // The ends of a gang of which only some lanes are active, such as an array's last, may lie
  // outside of the array again and again.
  seldom(b_.CreateNot(ends_are_allowed(address, allowed)), "ends",
         [&] { is_full(mask_) || shape.is_uniform() ? look() : look_at_lanes(); });
}

namespace {

enum NoteArgument : unsigned { Flags = 3, Low, High };

}  // namespace

/// Tells of the access of these lanes.
void Widener::tell(const char* name, llvm::Value* lanes, llvm::CallInst& note, std::uint64_t flags,
                   bool has_values) {
  const std::uint64_t bytes = number(note, Bytes);
  llvm::Value* none = llvm::ConstantPointerNull::get(b_.getPtrTy());
  llvm::Value* low = has_values ? in_memory(note.getArgOperand(Low), 1) : none;
  llvm::Value* high = has_values && bytes > 8 ? in_memory(note.getArgOperand(High), 2) : none;
  call_checks(name, {target_->getArg(0), in_memory(note.getArgOperand(Address), 0), bits_of(lanes),
                     b_.getInt64(packed_access(bytes, flags)), low, high});
}

/// The active lanes for which `condition` holds; one that is not a vector is the same for all.
llvm::Value* Widener::active(llvm::Value* condition) {
  if (!condition->getType()->isVectorTy()) condition = b_.CreateVectorSplat(lanes_, condition);
  return is_full(mask_) ? condition : b_.CreateLogicalAnd(mask_, condition);
}

/// Of writes, the check for uninitialised reads wants to know those of what memory is filled with.
void Widener::emit_filling_note(llvm::CallInst& note, std::uint64_t flags) {
  const std::uint64_t bytes = number(note, Bytes);
  if ((flags & AccessFlags::has_value) == 0 || bytes < sizeof unwritten_word) return;
  llvm::Value* value = note.getArgOperand(Low);
  llvm::Value* low = shapes_.of(value).is_uniform() ? scalar(value) : vector(value);
  llvm::Type* word = low->getType()->getWithNewBitWidth(32);
  llvm::Value* filled = llvm::ConstantInt::get(word, unwritten_word);
  llvm::Value* same = b_.CreateICmpEQ(b_.CreateTrunc(low, word), filled);
  if (bytes > sizeof unwritten_word)
    same = b_.CreateOr(same, b_.CreateICmpEQ(b_.CreateTrunc(b_.CreateLShr(low, 32), word), filled));
  same = active(same);
  seldom(any(same), "note", [&] { tell("pycuda_cpu_note_gang", same, note, flags, true); });
}

void Widener::emit_access_note(llvm::CallInst& note) {
  const std::uint64_t flags = number(note, Flags);
  if ((flags & AccessFlags::may_race) != 0) emit_race_note(note, flags);
  if ((flags & AccessFlags::of_init) == 0) return;
  if ((flags & AccessFlags::write) != 0) {
    emit_filling_note(note, flags);
  } else {
    tell("pycuda_cpu_note_gang", mask_, note, flags, (flags & AccessFlags::has_value) != 0);
  }
}

/// The lanes are asked whose numbers may be what memory is filled with.
void Widener::emit_read_note(llvm::CallInst& note) {
  const std::uint64_t bytes = number(note, Bytes);
  llvm::Value* value = note.getArgOperand(Low);
  llvm::Value* address = note.getArgOperand(Address);
  const bool is_word = bytes >= sizeof unwritten_word;
  const bool uniform =
      shapes_.of(value).is_uniform() && (is_word || shapes_.of(address).is_uniform());
  const auto form = [&](llvm::Value* of) { return uniform ? scalar(of) : vector(of); };
  llvm::Value* low = form(value);
  llvm::Type* word = low->getType()->getWithNewBitWidth(32);
  llvm::Value* filled = llvm::ConstantInt::get(word, unwritten_word);
  low = b_.CreateTrunc(low, word);
  if (!is_word) {
    // Which part of a word it is depends on where it lies.
    llvm::Value* by = b_.CreateAnd(b_.CreateTrunc(form(address), word),
                                   llvm::ConstantInt::get(word, sizeof unwritten_word - 1));
    filled = b_.CreateLShr(filled, b_.CreateShl(by, 3));
    filled =
        b_.CreateAnd(filled, llvm::ConstantInt::get(word, (std::uint64_t{1} << bytes * 8) - 1));
  }
  llvm::Value* same = b_.CreateICmpEQ(low, filled);
  same = active(same);
  seldom(any(same), "note", [&] {
    tell("pycuda_cpu_note_gang", same, note, number(note, Flags) | AccessFlags::read_later, false);
  });
}

void Widener::emit_barrier_note(llvm::CallInst& note) {
  llvm::CallInst* call = call_checks(
      note_gang_barrier, {target_->getArg(0), bits_of(mask_),
                          b_.getInt64(packed_access(number(note, 1), 0)), note.getArgOperand(2)});
  if (flow_.owner(*block_) == &source_.getEntryBlock())
    call->addFnAttr(llvm::Attribute::get(b_.getContext(), for_all_lanes));
}

/// What code reads of the order of threads is different afterwards.
void Widener::change_order(const char* name, llvm::ArrayRef<llvm::Value*> arguments) {
  call_checks(name, arguments)->setMemoryEffects(llvm::MemoryEffects::unknown());
}

/// Whatever the mask says, the active lanes execute the operation together.
void Widener::note_warp_order(const llvm::CallInst& call) {
  if (call.getFnAttr(pseudo::ordering_operation).isValid())
    change_order("pycuda_cpu_note_warp_order", {target_->getArg(0), bits_of(mask_)});
}

/// The mask names all lanes that execute the operation, and no lane reads from one of `absent` (if
/// not null), which do not; where that is not known, it is asked.
void Widener::note_warp_operation(llvm::CallInst& call, llvm::Value* absent) {
  if (!call.getFnAttr(pseudo::checked_operation).isValid()) return;
  llvm::Value* mask = call.getArgOperand(2);
  llvm::Value* lanes = b_.CreateTrunc(bits_of(mask_), b_.getInt32Ty());
  // Where lanes give different masks, each is known to be that of the active lanes.
  llvm::Value* named = shapes_.of(mask).is_uniform() ? scalar(mask) : lanes;
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(named);
  const bool names_all = named == lanes || (known != nullptr && known->isMinusOne());
  if ((names_all && absent == nullptr) || (known != nullptr && known->isZero())) return;
  llvm::Value* wrong =
      names_all ? b_.getFalse() : b_.CreateIsNotNull(b_.CreateAnd(lanes, b_.CreateNot(named)));
  if (absent != nullptr) wrong = b_.CreateOr(wrong, any(active(absent)));
  seldom(b_.CreateAnd(wrong, b_.CreateIsNotNull(named)), "note", [&] {
    llvm::Value* none = llvm::ConstantPointerNull::get(b_.getPtrTy());
    call_checks("pycuda_cpu_note_gang_operation",
                {target_->getArg(0), bits_of(mask_), b_.getInt64(packed_access(0, 0)),
                 call.getArgOperand(1), named,
                 absent != nullptr ? in_memory(call.getArgOperand(4), 0) : none,
                 absent != nullptr ? in_memory(call.getArgOperand(5), 1) : none});
  });
}

/// False if `call` is none of the checks.
bool Widener::emit_check(llvm::CallInst& call) {
  const llvm::StringRef name = call.getCalledFunction()->getName();
  if (name == pseudo::check_access) {
    emit_memory_check(call);
  } else if (name == pseudo::note_access) {
    emit_access_note(call);
  } else if (name == pseudo::note_read) {
    emit_read_note(call);
  } else if (name == pseudo::note_barrier) {
    emit_barrier_note(call);
  } else if (name == pseudo::note_passed) {
    emit_passed_note();
  } else {
    return false;
  }
  return true;
}

}  // namespace pycuda::cpu::simt
