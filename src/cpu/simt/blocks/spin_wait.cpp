// SPDX-License-Identifier: MIT
// A backward slice from each loop exit to the reads that it depends on.

#include "cpu/kernel_abi/spin_wait.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/kernel_abi/frames.h"
#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/shared_memory.h"
#include "cpu/simt/blocks/block_passes.h"

namespace pycuda::cpu::simt {

namespace {

bool reads_shared_state(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return load->isVolatile() || load->isAtomic();
  return llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction);
}

bool calls_reader(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  if (!call) return false;
  const llvm::Function* callee = call->getCalledFunction();
  return callee && llvm::any_of(llvm::instructions(*callee), reads_shared_state);
}

/// What decides where `end` leads, or null.
const llvm::Value* condition_of(const llvm::Instruction& end) {
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end))
    return branch->isConditional() ? branch->getCondition() : nullptr;
  const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&end);
  return choice ? choice->getCondition() : nullptr;
}

/// Everything inside a loop that a value depends on.
class Slice {
 public:
  Slice(const llvm::Loop& loop, const llvm::DominatorTree& dominators)
      : loop_(loop), dominators_(dominators) {}

  void add(const llvm::Value* value) {
    pending_.push_back(value);
    while (!pending_.empty()) {
      const auto* instruction = llvm::dyn_cast<llvm::Instruction>(pending_.back());
      pending_.pop_back();
      if (!instruction || !loop_.contains(instruction) || !seen_.insert(instruction).second)
        continue;
      if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) add_choice(*phi);
      for (const llvm::Use& operand : instruction->operands()) pending_.push_back(operand.get());
    }
  }

  const llvm::SmallPtrSetImpl<const llvm::Instruction*>& instructions() const { return seen_; }

 private:
  void add_condition(const llvm::BasicBlock* block) {
    if (!block || !loop_.contains(block)) return;
    if (const llvm::Value* condition = condition_of(*block->getTerminator()))
      pending_.push_back(condition);
  }

  /// Two loops that begin at one place are one loop with several latches, and the inner one's leave
  /// what the outer one counts as it is: which latch was taken decides whether anything goes on.
  /// Where it goes on in any case it does not matter.
  void add_latches(const llvm::PHINode& phi) {
    llvm::SmallVector<const llvm::BasicBlock*, 4> latches;
    bool all_advance = true;
    const llvm::BasicBlock* common = nullptr;
    for (const llvm::BasicBlock* block : phi.blocks()) {
      if (!loop_.contains(block)) continue;
      all_advance &= advances(phi, *phi.getIncomingValueForBlock(block));
      common = common ? dominators_.findNearestCommonDominator(common, block) : block;
      latches.push_back(block);
    }
    if (latches.size() < 2 || all_advance) return;
    for (const llvm::BasicBlock* block : latches) {
      for (const auto* node = dominators_.getNode(block); node; node = node->getIDom()) {
        add_condition(node->getBlock());
        if (node->getBlock() == common) break;
      }
    }
  }

  static bool advances(const llvm::PHINode& phi, const llvm::Value& next) {
    const auto* add = llvm::dyn_cast<llvm::BinaryOperator>(&next);
    const auto* step = add ? llvm::dyn_cast<llvm::ConstantInt>(add->getOperand(1)) : nullptr;
    return step && add->getOpcode() == llvm::Instruction::Add && add->getOperand(0) == &phi &&
           !step->isZero();
  }

  /// Which value a phi has depends on the branches that lead to it.
  void add_choice(const llvm::PHINode& phi) {
    if (phi.getParent() == loop_.getHeader()) {
      add_latches(phi);
      // Which way the last iteration went is decided between the header and the latches.
      bool constant = true;
      for (const llvm::Value* value : phi.incoming_values())
        constant &= llvm::isa<llvm::Constant>(value);
      if (!constant) return;
    }
    for (const llvm::BasicBlock* incoming : phi.blocks()) {
      add_condition(incoming);
      if (const auto* node = dominators_.getNode(incoming); node && node->getIDom()) {
        add_condition(node->getIDom()->getBlock());
      }
    }
    if (const auto* node = dominators_.getNode(phi.getParent()); node && node->getIDom()) {
      add_condition(node->getIDom()->getBlock());
    }
  }

  const llvm::Loop& loop_;
  const llvm::DominatorTree& dominators_;
  llvm::SmallPtrSet<const llvm::Instruction*, 16> seen_;
  std::vector<const llvm::Value*> pending_;
};

/// A compare-and-swap that expects what was read from memory before: its failure is another
/// thread's progress.
bool is_retry(const llvm::Instruction& instruction, const llvm::Loop& loop,
              const llvm::DominatorTree& dominators) {
  const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
  if (!exchange) return false;
  Slice expected(loop, dominators);
  expected.add(exchange->getCompareOperand());
  for (const llvm::Instruction* read : expected.instructions()) {
    if (read == exchange || llvm::isa<llvm::LoadInst>(read)) return true;
  }
  return false;
}

/// Whether all that `function`, a kernel, writes to memory is compare-and-swaps that expect one and
/// the same constant. A word then changes at most once, from that constant: a thread that found it
/// changed will never find it otherwise, so no loop over such words waits for another thread.
bool only_claims_words(const llvm::Function& function) {
  if (!function.use_empty()) return false;
  const llvm::Value* unclaimed = nullptr;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!instruction.mayWriteToMemory()) continue;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      // Local variables, and where the thread is in its source.
      const llvm::Value* object = llvm::getUnderlyingObject(store->getPointerOperand());
      if (llvm::isa<llvm::AllocaInst>(object) || object == function.getArg(0)) continue;
    }
    if (lower::callee_name(instruction) == lower::pseudo::check_alignment) continue;
    const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
    if (!exchange || exchange->isVolatile() ||
        !llvm::isa<llvm::ConstantInt>(exchange->getCompareOperand()))
      return false;
    if (unclaimed && unclaimed != exchange->getCompareOperand()) return false;
    unclaimed = exchange->getCompareOperand();
  }
  return unclaimed != nullptr;
}

bool is_load_of_shared(const llvm::Instruction& instruction) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  return load && is_in_shared(load->getPointerOperand());
}

llvm::Value* address_of(const llvm::Instruction& read) {
  const auto place = llvm::MemoryLocation::getOrNone(&read);
  return place ? const_cast<llvm::Value*>(place->Ptr) : nullptr;
}

/// Reads what other blocks may write, in a way that is meant for that, and changes nothing that
/// brings the loop forward: no atomicAdd that takes the next piece of work.
bool looks_at_others(const llvm::Instruction& instruction) {
  const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction);
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    address = exchange->getPointerOperand();
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    address = update->getPointerOperand();
    const auto* by = llvm::dyn_cast<llvm::ConstantInt>(update->getValOperand());
    if (update->getOperation() != llvm::AtomicRMWInst::Xchg && !(by && by->isZero())) return false;
  }
  return reads_shared_state(instruction) && !is_in_shared(address);
}

/// Whether an address is the same in each turn, also if it is computed anew.
bool is_one_place(const llvm::Value* address, const llvm::Loop& loop) {
  if (address == nullptr) return false;
  if (loop.isLoopInvariant(address)) return true;
  const auto* made = llvm::dyn_cast<llvm::Instruction>(address);
  return made && llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::BinaryOperator>(made) &&
         llvm::all_of(made->operands(),
                      [&](const llvm::Use& part) { return is_one_place(part.get(), loop); });
}

/// Whether `store` tells the block what its thread has found at one place that others change: by
/// its value, or by whether it is made.
bool tells_of_others(const llvm::StoreInst& store, const llvm::Loop& loop,
                     const llvm::DominatorTree& dominators) {
  Slice told(loop, dominators);
  told.add(store.getValueOperand());
  for (const auto* node = dominators.getNode(store.getParent())->getIDom();
       node && loop.contains(node->getBlock()); node = node->getIDom()) {
    if (const llvm::Value* condition = condition_of(*node->getBlock()->getTerminator()))
      told.add(condition);
  }
  return llvm::any_of(told.instructions(), [&](const llvm::Instruction* read) {
    if (!looks_at_others(*read) || is_retry(*read, loop, dominators)) return false;
    return llvm::isa<llvm::LoadInst>(read) || is_one_place(address_of(*read), loop);
  });
}

/// Whether one thread looks at what other blocks write and tells its block through shared memory,
/// on which the way out depends.
bool waits_by_shared(const llvm::Loop& loop, const llvm::DominatorTree& dominators,
                     const llvm::SmallPtrSetImpl<const llvm::Instruction*>& exit) {
  if (llvm::none_of(exit, [](const llvm::Instruction* read) { return is_load_of_shared(*read); }))
    return false;
  bool tells = false, meets = false;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      meets |= lower::callee_name(instruction) == lower::pseudo::barrier_sync;
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      tells = tells || (store && is_in_shared(store->getPointerOperand()) &&
                        tells_of_others(*store, loop, dominators));
    }
  }
  return tells && meets;
}

/// What a loop's way out depends on.
enum class Exit {
  Own,      ///< on this thread alone
  Probing,  ///< on other threads too, but at another place in memory each time
  Waiting   ///< on other threads
};

struct Wait {
  Exit exit = Exit::Own;
  /// Of what it waits for, if that is one read of memory.
  llvm::Value* address = nullptr;
};

Wait wait_of(const llvm::Loop& loop, const llvm::DominatorTree& dominators, bool only_claims) {
  llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  Slice slice(loop, dominators);
  for (const llvm::BasicBlock* block : exiting) {
    if (const llvm::Value* condition = condition_of(*block->getTerminator())) slice.add(condition);
  }
  Wait wait;
  bool several = false;
  for (const llvm::Instruction* instruction : slice.instructions()) {
    const bool reads = reads_shared_state(*instruction) || calls_reader(*instruction);
    if (!reads || is_retry(*instruction, loop, dominators)) continue;
    const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(instruction);
    if (exchange && only_claims) continue;
    if (exchange && !loop.isLoopInvariant(exchange->getPointerOperand())) {
      wait.exit = std::max(wait.exit, Exit::Probing);
      continue;
    }
    several |= wait.exit == Exit::Waiting && address_of(*instruction) != wait.address;
    wait.exit = Exit::Waiting;
    wait.address = address_of(*instruction);
  }
  if (several) wait.address = nullptr;
  if (wait.exit == Exit::Own && waits_by_shared(loop, dominators, slice.instructions()))
    wait.exit = Exit::Waiting;
  return wait;
}

/// Notes down for whoever asks why the thread is late.
void note_address(llvm::Instruction& end, llvm::Value* address,
                  const llvm::DominatorTree& dominators) {
  const auto* made = llvm::dyn_cast<llvm::Instruction>(address);
  if (made && !dominators.dominates(made, &end)) return;
  llvm::IRBuilder<> b(&end);
  llvm::Value* number = b.CreatePtrToInt(address, b.getInt64Ty());
  const auto put = [&](unsigned operand, llvm::Value* value) {
    const std::size_t offset = offsetof(ThreadFrame, operand) + operand * sizeof(std::uint64_t);
    b.CreateAlignedStore(
        value, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), end.getFunction()->getArg(0), offset),
        llvm::Align(8), true);
  };
  put(awaited_address, number);
  put(awaited_complement, b.CreateNot(number));
}

void yield_before(llvm::Instruction& end) {
  llvm::IRBuilder<> b(&end);
  llvm::CallInst* call =
      call_by_name(b, lower::pseudo::yield, b.getVoidTy(), end.getFunction()->getArg(0));
  call->getCalledFunction()->addFnAttr(llvm::Attribute::NoUnwind);
  call->getCalledFunction()->addFnAttr(llvm::Attribute::Convergent);
  call->setDoesNotThrow();
}

/// Most loops that look for a free place end before they have tried so many.
constexpr std::uint32_t probes = 16;

/// A yield at each `probes`th trip.
void yield_at_times(llvm::Function& function, llvm::BasicBlock& latch) {
  llvm::IRBuilder<> b(&function.getEntryBlock(), function.getEntryBlock().begin());
  llvm::AllocaInst* trips = b.CreateAlloca(b.getInt32Ty(), nullptr, "trips");
  b.SetInsertPoint(&function.getEntryBlock(),
                   function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  b.CreateStore(b.getInt32(0), trips);
  b.SetInsertPoint(latch.getTerminator());
  llvm::Value* next = b.CreateAdd(b.CreateLoad(b.getInt32Ty(), trips), b.getInt32(1));
  b.CreateStore(next, trips);
  llvm::Value* now = b.CreateIsNull(b.CreateAnd(next, b.getInt32(probes - 1)));
  yield_before(*llvm::SplitBlockAndInsertIfThen(now, latch.getTerminator()->getIterator(), false));
}

}  // namespace

void yield_in_spin_waits(llvm::Function& function) {
  if (llvm::none_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
        return reads_shared_state(instruction) || calls_reader(instruction);
      }))
    return;
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  const bool only_claims = only_claims_words(function);
  llvm::MapVector<llvm::BasicBlock*, Wait> latches;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    const Wait wait = wait_of(*loop, dominators, only_claims);
    if (wait.exit == Exit::Own) continue;
    llvm::SmallVector<llvm::BasicBlock*, 4> ends;
    loop->getLoopLatches(ends);
    for (llvm::BasicBlock* latch : ends) {
      Wait& known = latches[latch];
      if (wait.exit > known.exit) known = wait;
    }
  }
  for (const auto& [latch, wait] : latches) {
    if (wait.exit == Exit::Waiting) {
      if (wait.address) note_address(*latch->getTerminator(), wait.address, dominators);
      yield_before(*latch->getTerminator());
    } else {
      yield_at_times(function, *latch);
    }
  }
}

}  // namespace pycuda::cpu::simt
