// SPDX-License-Identifier: MIT
// A forward data flow finds which accesses may follow a volatile one without a barrier in between.
#include "cpu/simt/blocks/warp_turns.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "cpu/kernel_abi/frames.h"
#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/call_targets.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/shared_memory.h"
#include "cpu/simt/analysis/warp_sites.h"
#include "cpu/simt/branches/branch_passes.h"

namespace pycuda::cpu::simt {
namespace {

namespace pseudo = lower::pseudo;

using FunctionSet = llvm::DenseSet<const llvm::Function*>;

/// The address that an access reads or writes in shared memory, or null.
const llvm::Value* address_of(const llvm::Instruction& instruction) {
  const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction);
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    address = update->getPointerOperand();
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    address = exchange->getPointerOperand();
  return address;
}

bool waits_for_others(const llvm::Instruction& instruction) {
  const llvm::StringRef name = lower::callee_name(instruction);
  return name == pseudo::barrier_sync || name == pseudo::barrier_reduce || name == pseudo::warp_op;
}

/// Finds the places of turns in one function. Calls of functions with turns have one too: lanes
/// that are behind in the caller would not be waited for in the callee.
class TurnFinder {
 public:
  /// `in_step`: the functions that take turns.
  TurnFinder(llvm::Function& function, const FunctionSet& in_step)
      : function_(function), functions_in_step_(in_step) {}

  std::vector<llvm::Instruction*> run() {
    for (bool changed = true; changed;) {
      changed = false;
      for (llvm::BasicBlock& block : function_) {
        bool& known = in_step_at_end_[&block];
        const bool now = walk(block, nullptr);
        changed |= now != known;
        known = now;
      }
    }
    std::vector<llvm::Instruction*> places;
    for (llvm::BasicBlock& block : function_) walk(block, &places);
    return places;
  }

 private:
  /// Whether threads are between a volatile access and a barrier at the end of `block`.
  bool walk(llvm::BasicBlock& block, std::vector<llvm::Instruction*>* places) const {
    bool in_step = false;
    for (const llvm::BasicBlock* before : llvm::predecessors(&block))
      in_step |= in_step_at_end_.lookup(before);
    // Loads that follow each other need one turn.
    bool only_loads = false;
    for (llvm::Instruction& instruction : block) {
      if (waits_for_others(instruction)) {
        in_step = false;
        only_loads = true;
        continue;
      }
      const llvm::Value* address = address_of(instruction);
      const bool exchanges = exchanges_in_warp(instruction) || calls_in_step(instruction);
      if (!exchanges && (!in_step || !address || !may_be_in_shared(address))) continue;
      const bool load = llvm::isa<llvm::LoadInst>(instruction);
      if (places && !(load && only_loads)) places->push_back(&instruction);
      only_loads = load;
      in_step = true;
    }
    return in_step;
  }

  bool calls_in_step(const llvm::Instruction& instruction) const {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call) return false;
    if (const llvm::Function* callee = call->getCalledFunction())
      return functions_in_step_.contains(callee);
    return call->isIndirectCall() &&
           llvm::any_of(functions_in_step_, [](const llvm::Function* function) {
             return function->hasFnAttribute("ptx-address-taken");
           });
  }

  llvm::Function& function_;
  const FunctionSet& functions_in_step_;
  llvm::DenseMap<const llvm::BasicBlock*, bool> in_step_at_end_;
};

/// The vector forms' functions and what they call: of such functions, a call ends before the next
/// lane's begins.
llvm::SetVector<const llvm::Function*> functions_of_gangs(const llvm::Module& module) {
  std::vector<const llvm::Function*> forms;
  for (const llvm::Function& function : module) {
    const llvm::StringRef name = function.getName();
    if (name.starts_with("f.") &&
        (name.ends_with(".gang") || name.ends_with(".tail") || name.ends_with(".tile")))
      forms.push_back(&function);
  }
  return reached_from(forms);
}

void synchronise_before(llvm::Instruction& place, llvm::Value* thread) {
  llvm::IRBuilder<> b(&place);
  llvm::Value* zero = b.getInt64(0);
  llvm::CallInst* call =
      call_by_name(b, pseudo::warp_op, llvm::StructType::get(zero->getType(), zero->getType()),
                   {thread, b.getInt32(static_cast<std::uint32_t>(WarpOp::Sync)), b.getInt32(0),
                    zero, zero, zero});
  for (const auto kind :
       {llvm::Attribute::NoUnwind, llvm::Attribute::Convergent, llvm::Attribute::NoDuplicate})
    call->getCalledFunction()->addFnAttr(kind);
  call->setDoesNotThrow();
  call->setConvergent();
  call->setCannotDuplicate();
}

/// Lanes that pass by a place, or leave an inner loop early, would meet the others there a trip too
/// soon: they wait at the end of each trip. Loops have one latch each.
std::vector<llvm::Instruction*> ends_of_trips(llvm::Function& function,
                                              llvm::ArrayRef<llvm::Instruction*> places) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  std::vector<llvm::Instruction*> ends;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    const auto inside = [&](const llvm::Instruction* place) { return loop->contains(place); };
    if (llvm::none_of(places, inside)) continue;
    llvm::BasicBlock* latch = loop->getLoopLatch();
    const auto is_optional = [&](const llvm::Instruction* place) {
      const llvm::BasicBlock* block = place->getParent();
      return inside(place) &&
             (loops.getLoopFor(block) != loop || !dominators.dominates(block, latch));
    };
    if (llvm::any_of(places, is_optional)) ends.push_back(latch->getTerminator());
  }
  return ends;
}

/// Whether `function` counts what its warps execute.
bool counts_runs(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), counts_lanes);
}

/// Lanes execute each trip of a loop together, as far as they make it.
void meet_after_trips(llvm::Function& function) {
  join_latches(function);
  llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  for (const llvm::Loop* loop : loops.getLoopsInPreorder())
    synchronise_before(*loop->getLoopLatch()->getTerminator(), function.getArg(0));
}

}  // namespace

void take_turns(llvm::Module& module) {
  FunctionSet in_step = functions_in_step(module);
  for (const llvm::Function* function : functions_of_gangs(module)) in_step.erase(function);
  for (llvm::Function& function : module) {
    if (counts_runs(function)) meet_after_trips(function);
    if (!in_step.contains(&function)) continue;
    join_latches(function);
    const std::vector<llvm::Instruction*> places = TurnFinder(function, in_step).run();
    for (llvm::Instruction* end : ends_of_trips(function, places))
      synchronise_before(*end, function.getArg(0));
    for (llvm::Instruction* place : places) synchronise_before(*place, function.getArg(0));
  }
}

}  // namespace pycuda::cpu::simt
