// SPDX-License-Identifier: MIT
// Backwards from the function's end: which bytes of shared memory somebody still reads.

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/ConstantRangeList.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "cpu/kernel_abi/frames.h"
#include "cpu/lower/callee_name.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/finished/finished_passes.h"

namespace pycuda::cpu::simt {
namespace {

/// A stretch of the block's shared memory, in bytes.
using Bytes = llvm::ConstantRange;

/// So many stretches are told apart.
constexpr std::size_t most_stretches = 64;

/// Stretches, or all there is.
class ByteSet {
 public:
  static ByteSet everything() {
    ByteSet set;
    set.all_ = true;
    return set;
  }
  bool operator==(const ByteSet&) const = default;
  void add(const Bytes& bytes) {
    if (all_) return;
    stretches_.insert(bytes);
    if (stretches_.size() > most_stretches) *this = everything();
  }
  void add(const ByteSet& other) {
    if (other.all_) *this = everything();
    if (all_) return;
    for (const Bytes& bytes : other.stretches_) add(bytes);
  }
  void remove(const Bytes& bytes) { stretches_.subtract(bytes); }
  bool overlaps(const Bytes& bytes) const {
    return all_ || !stretches_.intersectWith(llvm::ConstantRangeList(bytes)).empty();
  }
  bool holds(const Bytes& bytes) const {
    return !all_ && llvm::any_of(stretches_, [&](const Bytes& one) { return one.contains(bytes); });
  }

 private:
  llvm::ConstantRangeList stretches_;
  bool all_ = false;
};

class LastStores {
 public:
  explicit LastStores(llvm::Function& function)
      : function_(function), layout_(function.getDataLayout()) {}

  bool run() {
    if (!settle()) return false;
    const llvm::DominatorTree dominators(function_);
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
    for (llvm::BasicBlock* block : order) {
      Stores unread;
      find_read(*block, unread);
      const auto* before = dominators.getNode(block)->getIDom();
      drop(*block, unread, before ? touched_at_end_[before->getBlock()] : ByteSet());
    }
    return changed_;
  }

 private:
  using Stores = llvm::SmallPtrSet<const llvm::StoreInst*, 16>;

  /// Fills read_from_start_; false if that takes too long.
  bool settle() {
    constexpr unsigned most_rounds = 8;
    const auto order = llvm::to_vector(llvm::post_order(&function_));
    for (unsigned round = 0; round < most_rounds; ++round) {
      bool same = true;
      for (const llvm::BasicBlock* block : order) {
        Stores unread;
        ByteSet read = find_read(*block, unread);
        ByteSet& known = read_from_start_[block];
        if (read == known) continue;
        known = std::move(read);
        same = false;
      }
      if (same) return true;
    }
    return false;
  }

  /// What is read from the start of `block` on, as far as that is known of the blocks behind it.
  ByteSet find_read(const llvm::BasicBlock& block, Stores& unread) const {
    ByteSet read;
    for (const llvm::BasicBlock* next : llvm::successors(&block)) {
      const auto found = read_from_start_.find(next);
      if (found != read_from_start_.end()) read.add(found->second);
    }
    for (const llvm::Instruction& instruction : llvm::reverse(block))
      step(instruction, read, unread);
    return read;
  }

  void step(const llvm::Instruction& instruction, ByteSet& read, Stores& unread) const {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      const auto bytes = shared_bytes(store->getPointerOperand(), store->getValueOperand());
      if (!bytes || !store->isSimple()) return;
      if (read.overlaps(*bytes)) {
        read.remove(*bytes);
      } else {
        unread.insert(store);
      }
      return;
    }
    if (!instruction.mayReadFromMemory() || is_blind(instruction)) return;
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    const auto bytes = load ? shared_bytes(load->getPointerOperand(), load) : std::nullopt;
    if (bytes) {
      read.add(*bytes);
    } else {
      read = ByteSet::everything();
    }
  }

  /// Whether an instruction that reads memory, reads none of the kernel's.
  static bool is_blind(const llvm::Instruction& instruction) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      return load->hasMetadata(llvm::LLVMContext::MD_invariant_load);
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call) return false;
    if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call))
      return intrinsic->isAssumeLikeIntrinsic() ||
             intrinsic->getIntrinsicID() == llvm::Intrinsic::prefetch;
    return lower::callee_name(*call) == "pycuda_cpu_fault";
  }

  /// Takes those of `unread` away whose bytes something has touched before them.
  void drop(llvm::BasicBlock& block, const Stores& unread, ByteSet touched) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (!store && !load) continue;
      const auto bytes = store ? shared_bytes(store->getPointerOperand(), store->getValueOperand())
                               : shared_bytes(load->getPointerOperand(), load);
      if (!bytes) continue;
      if (store && touched.holds(*bytes) && unread.contains(store)) {
        store->eraseFromParent();
        changed_ = true;
      } else {
        touched.add(*bytes);
      }
    }
    touched_at_end_[&block] = std::move(touched);
  }

  /// The place of `value` in the block's shared memory, if `pointer` is one with a known place.
  std::optional<Bytes> shared_bytes(const llvm::Value* pointer, const llvm::Value* value) const {
    std::int64_t offset = 0;
    const llvm::Value* base = llvm::GetPointerBaseWithConstantOffset(pointer, offset, layout_);
    const llvm::TypeSize bytes = layout_.getTypeStoreSize(value->getType());
    if (!is_shared_base(base) || bytes.isScalable() || !llvm::isInt<32>(offset))
      return std::nullopt;
    const llvm::APInt begin(64, static_cast<std::uint64_t>(offset));
    return Bytes(begin, begin + bytes.getFixedValue());
  }

  /// What BlockFrame::shared was loaded from.
  bool is_shared_base(const llvm::Value* base) const {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(base);
    if (!load) return false;
    std::int64_t offset = 0;
    const llvm::Value* frame =
        llvm::GetPointerBaseWithConstantOffset(load->getPointerOperand(), offset, layout_);
    return frame == function_.getArg(0) && offset == offsetof(BlockFrame, shared);
  }

  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  llvm::DenseMap<const llvm::BasicBlock*, ByteSet> read_from_start_;
  /// On every way there, and by what is still there.
  llvm::DenseMap<const llvm::BasicBlock*, ByteSet> touched_at_end_;
  bool changed_ = false;
};

}  // namespace

bool drop_dead_shared_stores(llvm::Function& function) {
  return function.hasFnAttribute(runs_regions) && LastStores(function).run();
}

}  // namespace pycuda::cpu::simt
