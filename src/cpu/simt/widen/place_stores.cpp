// SPDX-License-Identifier: MIT
#include "cpu/simt/widen/place_stores.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cpu/kernel_abi/frames.h"
#include "cpu/lower/pseudo.h"

namespace pycuda::cpu::simt {
namespace {

using Values = llvm::SmallPtrSet<const llvm::Value*, 32>;

const llvm::Value* without_offset(const llvm::Value* pointer) {
  const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer);
  return address && address->hasAllConstantIndices() ? address->getPointerOperand() : pointer;
}

/// Whether `load` reads what the launch does not change, by pointers that start at the function's
/// arguments. Kernels' own addresses are computed from integers.
bool reads_launch(const llvm::LoadInst& load) {
  constexpr unsigned most_steps = 4;
  const llvm::LoadInst* step = &load;
  for (unsigned steps = 0; steps < most_steps && step; ++steps) {
    if (!step->isSimple() || !step->hasMetadata(llvm::LLVMContext::MD_invariant_load)) return false;
    const llvm::Value* pointer = without_offset(step->getPointerOperand());
    if (llvm::isa<llvm::Argument>(pointer)) return true;
    step = llvm::dyn_cast<llvm::LoadInst>(pointer);
  }
  return false;
}

class Sinker {
 public:
  explicit Sinker(const std::vector<Place>& places) {
    for (const Place& place : places) {
      starts_.insert(place.start);
      kept_.insert(place.kept.begin(), place.kept.end());
    }
  }

  /// Sinks `stores`, which are in `block`, as far as one block may lead.
  void sink(llvm::BasicBlock* block, const std::vector<llvm::StoreInst*>& stores) {
    for (const llvm::Instruction& instruction : *block) {
      const bool own = std::find(stores.begin(), stores.end(), &instruction) != stores.end();
      if (!own && observes(instruction)) return;
    }
    llvm::SmallPtrSet<llvm::BasicBlock*, 4> next(llvm::succ_begin(block), llvm::succ_end(block));
    for (llvm::BasicBlock* successor : next) {
      if (successor->getUniquePredecessor() != block && !is_forgotten_in(successor)) return;
    }
    // In the order of the branch: the same input gives the same code.
    for (llvm::BasicBlock* successor : llvm::successors(block)) {
      if (!next.erase(successor) || starts_.contains(successor)) continue;
      if (successor->getUniquePredecessor() != block) continue;
      std::vector<llvm::StoreInst*> sunk;
      for (const llvm::StoreInst* store : stores) {
        auto* copy = llvm::cast<llvm::StoreInst>(store->clone());
        copy->insertBefore(successor->getFirstInsertionPt());
        sunk.push_back(copy);
      }
      sink(successor, sunk);
    }
    for (llvm::StoreInst* store : stores) store->eraseFromParent();
  }

 private:
  /// Whether `pointer` is one of the addresses kept, or a fixed distance from it. An index may lead
  /// elsewhere: local arrays lie in the gangs' frames.
  bool is_kept(const llvm::Value* pointer) const {
    for (;;) {
      if (kept_.contains(pointer)) return true;
      const llvm::Value* before = without_offset(pointer);
      if (before == pointer) return false;
      pointer = before;
    }
  }

  /// Whether `instruction` may fault, or run what asks where the gang lies.
  bool observes(const llvm::Instruction& instruction) const {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      return !reads_launch(*load) && !(load->isSimple() && is_kept(load->getPointerOperand()));
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      const llvm::Value* pointer = store->getPointerOperand();
      return !store->isSimple() ||
             !(is_kept(pointer) || llvm::isa<llvm::Argument>(without_offset(pointer)));
    }
    return instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects() ||
           llvm::isa<llvm::UnreachableInst>(instruction);
  }

  /// Whether every way from `block` comes to a gang's start, or the end, before anybody asks.
  bool is_forgotten_in(llvm::BasicBlock* block) {
    llvm::SmallPtrSet<llvm::BasicBlock*, 16> seen;
    std::vector<llvm::BasicBlock*> pending{block};
    while (!pending.empty()) {
      llvm::BasicBlock* next = pending.back();
      pending.pop_back();
      if (starts_.contains(next) || !seen.insert(next).second) continue;
      for (const llvm::Instruction& instruction : *next) {
        if (observes(instruction)) return false;
      }
      pending.insert(pending.end(), llvm::succ_begin(next), llvm::succ_end(next));
    }
    return true;
  }

  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> starts_;
  Values kept_;
};

}  // namespace

void sink_places(const std::vector<Place>& places) {
  Sinker sinker(places);
  for (const Place& place : places) sinker.sink(place.start, place.stores);
}

void keep_places(llvm::Function& gangs, const llvm::Value& thread) {
  const llvm::DataLayout& layout = gangs.getDataLayout();
  for (llvm::Instruction& instruction : llvm::instructions(gangs)) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (!store) continue;
    std::int64_t field = 0;
    const llvm::Value* frame =
        llvm::GetPointerBaseWithConstantOffset(store->getPointerOperand(), field, layout);
    constexpr std::int64_t place = offsetof(ThreadFrame, tid);
    if (frame == &thread && ((field >= place && field < place + std::int64_t{sizeof(Dim3)}) ||
                             field == offsetof(ThreadFrame, linear)))
      store->setVolatile(true);
  }
}

bool asks_for_number(const llvm::Function& gang) {
  const llvm::Argument* thread = gang.getArg(0);
  for (const llvm::Instruction& instruction : llvm::instructions(gang)) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      std::int64_t field = 0;
      const llvm::Value* frame = llvm::GetPointerBaseWithConstantOffset(
          load->getPointerOperand(), field, gang.getDataLayout());
      if (frame == thread && field == offsetof(ThreadFrame, linear)) return true;
      continue;
    }
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call || llvm::none_of(call->args(), [&](const llvm::Use& use) { return use == thread; }))
      continue;
    const llvm::Function* callee = call->getCalledFunction();
    if (!callee) return true;
    llvm::StringRef name = callee->getName();
    if (name.consume_front(lower::pseudo::sreg_prefix)) {
      if (name == "laneid" || name == "warpid" || name.starts_with("lanemask.")) return true;
    } else if (!name.starts_with("ptx.") && name != "pycuda_cpu_fault") {
      return true;
    }
  }
  return false;
}

}  // namespace pycuda::cpu::simt
