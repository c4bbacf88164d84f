// SPDX-License-Identifier: MIT
// Forwards through the function's blocks: what is known to be in memory.

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <cstddef>
#include <numeric>
#include <optional>
#include <vector>

#include "cpu/kernel_abi/frames.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/finished/finished_passes.h"

namespace pycuda::cpu::simt {
namespace {

/// So many stores are remembered.
constexpr std::size_t most_known = 64;

struct Span {
  const llvm::Value* base = nullptr;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;

  std::int64_t end() const { return offset + bytes; }
  bool overlaps(const Span& other) const {
    return base == other.base && offset < other.end() && other.offset < end();
  }
};

struct Known {
  llvm::StoreInst* store = nullptr;
  Span span;
};

/// Of one block's end: the later of two stores to a place counts.
using Memory = std::vector<Known>;

/// A part of a vector: so many of its elements, from the first on, are what `from` stored from its
/// own element on.
struct Piece {
  llvm::StoreInst* from;
  unsigned element, count;
};

class Forwarder {
 public:
  explicit Forwarder(llvm::Function& function)
      : function_(function),
        layout_(function.getDataLayout()),
        dominators_(function),
        loops_(dominators_) {}

  bool run() {
    kept_is_private_ = llvm::none_of(llvm::instructions(function_), [](const auto& instruction) {
      constexpr unsigned most_uses = 20000;
      return is_kept(&instruction) &&
             llvm::PointerMayBeCaptured(&instruction, /*ReturnCaptures=*/true,
                                        /*StoreCaptures=*/true, most_uses);
    });
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
    for (llvm::BasicBlock* block : order) {
      Memory memory = at_start(*block);
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block))
        step(instruction, memory);
      at_end_[block] = std::move(memory);
    }
    return changed_;
  }

 private:
  /// What all blocks before have left, and none has written over. A loop's trips leave what they do
  /// not touch.
  Memory at_start(const llvm::BasicBlock& block) const {
    const llvm::Loop* loop = loops_.isLoopHeader(&block) ? loops_.getLoopFor(&block) : nullptr;
    std::vector<const Memory*> before;
    for (const llvm::BasicBlock* from : llvm::predecessors(&block)) {
      if (loop && loop->contains(from)) continue;
      const auto found = at_end_.find(from);
      if (found == at_end_.end()) return {};  // around what is no loop of one entry
      before.push_back(&found->second);
    }
    Memory memory = common_to(before);
    if (!loop) return memory;
    for (const llvm::BasicBlock* inside : loop->blocks()) {
      if (memory.empty()) break;
      for (const llvm::Instruction& instruction : *inside) disturb(instruction, memory, false);
    }
    return memory;
  }

  static Memory common_to(const std::vector<const Memory*>& before) {
    if (before.empty()) return {};
    const auto is_in = [](const Known& known, const Memory& memory) {
      return llvm::any_of(memory, [&](const Known& other) { return other.store == known.store; });
    };
    Memory common;
    for (const Known& known : *before.front()) {
      const bool stays =
          llvm::all_of(before, [&](const Memory* memory) { return is_in(known, *memory); });
      if (stays) common.push_back(known);
    }
    for (const Memory* memory : before) {
      for (const Known& other : *memory) {
        if (is_in(other, common)) continue;
        llvm::erase_if(common, [&](const Known& k) { return k.span.overlaps(other.span); });
      }
    }
    return common;
  }

  void step(llvm::Instruction& instruction, Memory& memory) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      if (load->isSimple() && !memory.empty()) forward(*load, memory);
      return;
    }
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    const bool recalled =
        store && store->isSimple() && has_elements(store->getValueOperand()->getType());
    disturb(instruction, memory, recalled);
    if (!recalled) return;
    const auto span = span_of(store->getPointerOperand(), store->getValueOperand()->getType());
    if (!span) return;
    if (memory.size() == most_known) memory.erase(memory.begin());
    memory.push_back({store, *span});
  }

  /// Takes what `instruction` may write over out of `memory`. `recalled`: what it writes itself is
  /// known behind it.
  void disturb(const llvm::Instruction& instruction, Memory& memory, bool recalled) const {
    if (!instruction.mayWriteToMemory()) return;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      const auto span = span_of(store->getPointerOperand(), store->getValueOperand()->getType());
      if (!span) return memory.clear();
      llvm::erase_if(memory,
                     [&](const Known& known) { return may_change(*span, known.span, recalled); });
      return;
    }
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    const bool harmless = call && (call->isAssumeLikeIntrinsic() ||
                                   call->getIntrinsicID() == llvm::Intrinsic::prefetch);
    if (!harmless) memory.clear();
  }

  /// Whether a store to `stored` leaves what `known` says in doubt. A later store that is recalled
  /// itself is asked first for the part that it has written over.
  bool may_change(const Span& stored, const Span& known, bool recalled) const {
    if (stored.base == known.base)
      return recalled ? stored.offset <= known.offset && stored.end() >= known.end()
                      : stored.overlaps(known);
    const llvm::Value* object = llvm::getUnderlyingObject(stored.base);
    const llvm::Value* other = llvm::getUnderlyingObject(known.base);
    return object == other || (is_kept(object) && is_kept(other)) ||
           !(is_frame(object) || is_frame(other));
  }

  /// The executor's records of a block and its gangs are no memory of the kernel's, nor is what
  /// gangs keep across barriers, unless local arrays in it are reached by computed addresses.
  bool is_frame(const llvm::Value* object) const {
    return llvm::isa<llvm::Argument>(object) || (kept_is_private_ && is_kept(object));
  }

  /// Whether it is the address of what gangs keep.
  static bool is_kept(const llvm::Value* object) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(object);
    if (!load) return false;
    std::int64_t offset = 0;
    const llvm::Value* frame = llvm::GetPointerBaseWithConstantOffset(
        load->getPointerOperand(), offset, load->getDataLayout());
    return frame == load->getFunction()->getArg(1) && offset == offsetof(ThreadFrame, scratch);
  }

  std::optional<Span> span_of(const llvm::Value* pointer, llvm::Type* type) const {
    std::int64_t offset = 0;
    const llvm::Value* base = llvm::GetPointerBaseWithConstantOffset(pointer, offset, layout_);
    const llvm::TypeSize bytes = layout_.getTypeStoreSize(type);
    if (bytes.isScalable() || !llvm::isInt<32>(offset)) return std::nullopt;
    return Span{base, offset, static_cast<std::int64_t>(bytes.getFixedValue())};
  }

  static bool has_elements(const llvm::Type* type) {
    const llvm::Type* element = type->getScalarType();
    return (element->isIntegerTy() || element->isFloatTy() || element->isDoubleTy()) &&
           element->getScalarSizeInBits() % 8 == 0 && !llvm::isa<llvm::ScalableVectorType>(type);
  }
  static unsigned elements_of(const llvm::Type* type) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    return vector ? vector->getNumElements() : 1;
  }

  /// Which store has left the element of `bytes` bytes at `place`.
  static const Known* find(const Memory& memory, const Span& place) {
    for (const Known& known : llvm::reverse(memory)) {
      if (!known.span.overlaps(place)) continue;
      const std::int64_t distance = place.offset - known.span.offset;
      const llvm::Type* stored = known.store->getValueOperand()->getType();
      const bool whole = distance >= 0 && distance % place.bytes == 0 &&
                         place.end() <= known.span.end() &&
                         stored->getScalarSizeInBits() == place.bytes * 8;
      return whole ? &known : nullptr;
    }
    return nullptr;
  }

  void forward(llvm::LoadInst& load, const Memory& memory) {
    llvm::Type* type = load.getType();
    if (!has_elements(type)) return;
    const auto span = span_of(load.getPointerOperand(), type);
    if (!span) return;
    const unsigned count = elements_of(type);
    const std::int64_t bytes = span->bytes / count;
    std::vector<Piece> pieces;
    bool vectors = count != 1;
    for (unsigned i = 0; i < count; ++i) {
      const Known* known = find(memory, {span->base, span->offset + i * bytes, bytes});
      if (!known) return;
      const auto element = static_cast<unsigned>((span->offset - known->span.offset) / bytes + i);
      vectors |= known->store->getValueOperand()->getType()->isVectorTy();
      if (!pieces.empty() && pieces.back().from == known->store &&
          pieces.back().element + pieces.back().count == element) {
        ++pieces.back().count;
      } else {
        pieces.push_back({known->store, element, 1});
      }
    }
    // Scalars are LLVM's own business.
    if (!vectors) return;
    llvm::IRBuilder<> b(&load);
    llvm::Value* value = build(b, type, pieces);
    load.replaceAllUsesWith(value);
    load.eraseFromParent();
    changed_ = true;
  }

  /// The elements of `stored` that `piece` names, in `element`'s type: a scalar if there is one.
  static llvm::Value* cut(llvm::IRBuilder<>& b, const Piece& piece, llvm::Type* element) {
    llvm::Value* stored = piece.from->getValueOperand();
    const unsigned all = elements_of(stored->getType());
    if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(stored->getType())) {
      stored = b.CreateBitCast(stored, llvm::FixedVectorType::get(element, all));
      if (piece.count == 1 && vector->getNumElements() != 1)
        return b.CreateExtractElement(stored, piece.element);
      if (piece.count == all) return stored;
      return b.CreateShuffleVector(stored,
                                   llvm::createSequentialMask(piece.element, piece.count, 0));
    }
    return b.CreateBitCast(stored, element);
  }

  static llvm::Value* build(llvm::IRBuilder<>& b, llvm::Type* type,
                            const std::vector<Piece>& pieces) {
    llvm::Type* element = type->getScalarType();
    const unsigned count = elements_of(type);
    llvm::Value* value = nullptr;
    unsigned filled = 0;
    for (const Piece& piece : pieces) {
      llvm::Value* part = cut(b, piece, element);
      if (pieces.size() == 1) {
        if (part->getType() == type) return part;
        return b.CreateBitCast(part, type);
      }
      if (!value) value = llvm::PoisonValue::get(type);
      if (!part->getType()->isVectorTy()) {
        value = b.CreateInsertElement(value, part, filled);
      } else {
        // As wide as the whole, then one shuffle of both.
        std::vector<int> widen(count, llvm::PoisonMaskElem), join(count);
        std::iota(join.begin(), join.end(), 0);
        for (unsigned i = 0; i < piece.count; ++i) {
          widen[filled + i] = static_cast<int>(i);
          join[filled + i] = static_cast<int>(count + filled + i);
        }
        part = b.CreateShuffleVector(part, widen);
        value = b.CreateShuffleVector(value, part, join);
      }
      filled += piece.count;
    }
    return value;
  }

  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  const llvm::DominatorTree dominators_;
  const llvm::LoopInfo loops_;
  llvm::DenseMap<const llvm::BasicBlock*, Memory> at_end_;
  bool kept_is_private_ = false;
  bool changed_ = false;
};

}  // namespace

bool forward_vector_stores(llvm::Function& function) {
  return function.hasFnAttribute(runs_regions) && Forwarder(function).run();
}

}  // namespace pycuda::cpu::simt
