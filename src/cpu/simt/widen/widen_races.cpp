// SPDX-License-Identifier: MIT
// Accesses to shared memory that are checked for races: compared with the latest ones of the same
// words, and written down beside them (SharedShadow). Those that may conflict are told of.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <cstddef>

#include "cpu/kernel_abi/checks.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/shared_memory.h"
#include "cpu/simt/analysis/special_values.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {

namespace pseudo = lower::pseudo;

namespace {

constexpr std::uint64_t word_bytes = 4;

enum Argument : unsigned { Thread, Address, Bytes, Flags, Low, High, Place };

std::uint64_t number(const llvm::CallInst& call, unsigned argument) {
  return llvm::cast<llvm::ConstantInt>(call.getArgOperand(argument))->getZExtValue();
}

/// The call that gives the window's start, of an address in shared memory; else null.
llvm::CallInst* window_of(llvm::Value* address) {
  auto* pointer = llvm::dyn_cast<llvm::PtrToIntOperator>(address);
  if (!pointer || !is_in_shared(pointer->getPointerOperand())) return nullptr;
  return llvm::dyn_cast<llvm::CallInst>(
      const_cast<llvm::Value*>(llvm::getUnderlyingObject(pointer->getPointerOperand(), 0)));
}

/// Nothing but a read or a write of a word.
bool is_plain_word(const llvm::CallInst& note, std::uint64_t flags) {
  constexpr std::uint64_t plain = AccessFlags::write | AccessFlags::copy | AccessFlags::has_value |
                                  AccessFlags::read_later | AccessFlags::for_races |
                                  AccessFlags::for_init;
  return (flags & ~plain) == 0 && number(note, Bytes) == word_bytes;
}

/// What a gang does with the arrays of a SharedShadow.
class ShadowWords {
 public:
  ShadowWords(llvm::IRBuilder<>& b, unsigned lanes, llvm::Value* parts, llvm::Value* words,
              llvm::Value* first, llvm::Value* chosen)
      : b_(b), lanes_(lanes), parts_(parts), words_(words), first_(first), chosen_(chosen) {}

  llvm::Value* read(SharedShadow::Part part, SharedShadow::Entry entry, llvm::Value* mask) {
    llvm::Type* type = llvm::FixedVectorType::get(b_.getInt32Ty(), lanes_);
    llvm::Value* place = address(part, entry);
    llvm::Value* none = llvm::Constant::getNullValue(type);
    if (first_) return b_.CreateMaskedLoad(type, place, align_, mask, none);
    return b_.CreateMaskedGather(type, place, align_, mask, none);
  }
  void write(SharedShadow::Part part, SharedShadow::Entry entry, llvm::Value* value,
             llvm::Value* mask) {
    if (!value->getType()->isVectorTy()) value = b_.CreateVectorSplat(lanes_, value);
    llvm::Value* place = address(part, entry);
    if (first_) {
      b_.CreateMaskedStore(value, place, align_, mask);
    } else {
      b_.CreateMaskedScatter(value, place, align_, mask);
    }
  }

 private:
  llvm::Value* address(SharedShadow::Part part, SharedShadow::Entry entry) {
    llvm::Value* start = b_.CreateMul(words_, b_.getInt64(SharedShadow::array(part, entry)));
    llvm::Value* array = b_.CreateGEP(b_.getInt32Ty(), parts_, start);
    return b_.CreateGEP(b_.getInt32Ty(), array, first_ ? first_ : chosen_);
  }

  llvm::IRBuilder<>& b_;
  const llvm::Align align_{word_bytes};
  const unsigned lanes_;
  llvm::Value *parts_, *words_, *first_, *chosen_;
};

}  // namespace

/// False if the access is not one of those.
bool Widener::emit_shared_note(llvm::CallInst& note, std::uint64_t flags) {
  llvm::Value* address = note.getArgOperand(Address);
  llvm::CallInst* window = window_of(address);
  if (!window || rows_ != 1 || !is_plain_word(note, flags)) return false;
  const Shape shape = shapes_.of(address);
  const bool adjacent = shape.is_affine() && shape.stride == static_cast<std::int64_t>(word_bytes);
  const bool writes = (flags & AccessFlags::write) != 0;

  // What does not change while the gang runs.
  const auto at_entry = [&](const char* name,
                            llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&)> make) {
    llvm::Value*& known = specials_[name];
    if (!known) {
      llvm::IRBuilder<> entry(entry_);
      known = make(entry);
    }
    return known;
  };
  llvm::Value* shadow = at_entry("shadow", [&](llvm::IRBuilder<>& b) {
    llvm::Value* block =
        load_field(b, target_->getArg(0), offsetof(ThreadFrame, block), b.getPtrTy(), true);
    return load_field(b, block, offsetof(BlockFrame, shadow), b.getPtrTy(), true);
  });
  const auto of_shadow = [&](const char* name, std::size_t offset, llvm::Type* type) {
    return at_entry(
        name, [&](llvm::IRBuilder<>& b) { return load_field(b, shadow, offset, type, true); });
  };
  llvm::Type* pointer = b_.getPtrTy();
  llvm::Value* parts = of_shadow("shadow.parts", offsetof(SharedShadow, parts), pointer);
  llvm::Value* words = of_shadow("shadow.words", offsetof(SharedShadow, words), b_.getInt64Ty());
  llvm::Value* clocks = of_shadow("shadow.clocks", offsetof(SharedShadow, clocks), pointer);

  // Whose access it is, and when.
  llvm::Value* linear =
      load_field(b_, target_->getArg(0), offsetof(ThreadFrame, linear), b_.getInt32Ty(), false);
  llvm::Value* number_of_gang = b_.CreateZExt(linear, b_.getInt64Ty());
  llvm::Value* intervals =
      b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), shadow, offsetof(SharedShadow, intervals));
  llvm::Value* tag =
      b_.CreateLoad(b_.getInt32Ty(), b_.CreateGEP(b_.getInt32Ty(), intervals, number_of_gang));
  llvm::Value* mine = steps(b_.CreateAdd(tag, linear), 1, lanes_);
  llvm::Value* tags = b_.CreateVectorSplat(lanes_, tag);

  // Where it is. Only the window has a shadow.
  llvm::Value* base = b_.CreatePtrToInt(emit_special(*window), b_.getInt64Ty());
  llvm::Value* room = b_.CreateSub(b_.CreateShl(words, 2), b_.getInt64(word_bytes));
  llvm::Value *first = nullptr, *chosen = nullptr, *outside = nullptr;
  if (adjacent) {
    llvm::Value* low = b_.CreateSub(scalar(address), base);
    llvm::Value* high = b_.CreateAdd(low, b_.getInt64((lanes_ - 1) * word_bytes));
    outside = b_.CreateOr(b_.CreateICmpUGT(low, room), b_.CreateICmpUGT(high, room));
    first = b_.CreateLShr(low, 2);
  } else {
    llvm::Value* offsets = b_.CreateSub(vector(address), b_.CreateVectorSplat(lanes_, base));
    outside = any(active(b_.CreateICmpUGT(offsets, b_.CreateVectorSplat(lanes_, room))));
    chosen = b_.CreateLShr(offsets, llvm::ConstantInt::get(offsets->getType(), 2));
  }

  llvm::LLVMContext& context = b_.getContext();
  const auto new_block = [&](const char* name) {
    return llvm::BasicBlock::Create(context, name, target_);
  };
  llvm::BasicBlock* compare = new_block("compare");
  llvm::BasicBlock* keep = new_block("keep");
  llvm::BasicBlock* look = new_block("look");
  llvm::BasicBlock* done = new_block("noted");
  llvm::MDNode* unlikely = llvm::MDBuilder(context).createUnlikelyBranchWeights();
  const auto look_if = [&](llvm::Value* condition, llvm::BasicBlock* otherwise) {
    b_.CreateCondBr(condition, look, otherwise, unlikely);
    b_.SetInsertPoint(otherwise);
  };
  look_if(outside, compare);

  ShadowWords shadows(b_, lanes_, parts, words, first, chosen);
  using enum SharedShadow::Entry;
  const auto is_current = [&](llvm::Value* of) {
    llvm::Value* differs = b_.CreateXor(of, tags);
    return b_.CreateICmpULT(
        differs, llvm::ConstantInt::get(differs->getType(),
                                        std::uint64_t{1} << SharedShadow::interval_begin));
  };
  const auto is_of_other = [&](llvm::Value* of) {
    return b_.CreateAnd(is_current(of), b_.CreateICmpNE(of, mine));
  };
  llvm::Value* written = shadows.read(SharedShadow::Tag, Written, mask_);
  llvm::Value* conflict = is_of_other(written);
  if (writes) {
    for (const SharedShadow::Entry entry : {FirstRead, OtherRead})
      conflict = b_.CreateOr(conflict, is_of_other(shadows.read(SharedShadow::Tag, entry, mask_)));
  }
  look_if(any(active(conflict)), keep);

  llvm::Value* place = note.getArgOperand(Place);
  llvm::Value* clock = b_.CreateMaskedLoad(
      mine->getType(), b_.CreateGEP(b_.getInt32Ty(), clocks, number_of_gang),
      llvm::Align(word_bytes), mask_, llvm::Constant::getNullValue(mine->getType()));
  const auto write_down = [&](SharedShadow::Entry entry, llvm::Value* lanes) {
    shadows.write(SharedShadow::Place, entry, place, lanes);
    shadows.write(SharedShadow::Clock, entry, clock, lanes);
  };
  if (writes) {
    shadows.write(SharedShadow::Tag, Written, mine, mask_);
    if (!adjacent) {
      // Several lanes may write to one word.
      llvm::BasicBlock* again = new_block("written.twice");
      llvm::BasicBlock* once = new_block("written.once");
      llvm::Value* kept = shadows.read(SharedShadow::Tag, Written, mask_);
      b_.CreateCondBr(any(active(b_.CreateICmpNE(kept, mine))), again, once, unlikely);
      b_.SetInsertPoint(again);
      shadows.write(SharedShadow::Tag, Written, written, mask_);
      b_.CreateBr(look);
      b_.SetInsertPoint(once);
    }
    write_down(Written, mask_);
  } else {
    llvm::Value* before = shadows.read(SharedShadow::Tag, FirstRead, mask_);
    llvm::Value* takes =
        active(b_.CreateOr(b_.CreateNot(is_current(before)), b_.CreateICmpEQ(before, mine)));
    shadows.write(SharedShadow::Tag, FirstRead, mine, takes);
    if (!adjacent) {
      // Several lanes may read one word, of which one is the first.
      before = shadows.read(SharedShadow::Tag, FirstRead, mask_);
      takes = active(b_.CreateICmpEQ(before, mine));
    }
    write_down(FirstRead, takes);
    llvm::Value* others = active(b_.CreateNot(takes));
    llvm::BasicBlock* more = new_block("read.more");
    b_.CreateCondBr(any(others), more, done);
    b_.SetInsertPoint(more);
    llvm::Value* other = shadows.read(SharedShadow::Tag, OtherRead, mask_);
    const auto is_same_warp = [&](llvm::Value* left, llvm::Value* right) {
      llvm::Value* differs = b_.CreateXor(left, right);
      llvm::Constant* warp =
          llvm::ConstantInt::get(differs->getType(), SharedShadow::thread_mask & ~31u);
      return b_.CreateIsNull(b_.CreateAnd(differs, warp));
    };
    llvm::Value* replaces =
        b_.CreateOr(b_.CreateNot(is_current(other)),
                    b_.CreateOr(is_same_warp(other, mine), is_same_warp(other, before)));
    others = b_.CreateAnd(others, replaces);
    shadows.write(SharedShadow::Tag, OtherRead, mine, others);
    write_down(OtherRead, others);
  }
  b_.CreateBr(done);
  b_.SetInsertPoint(look);
  tell(mask_, note, flags, (flags & AccessFlags::has_value) != 0);
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  return true;
}

}  // namespace pycuda::cpu::simt
