// SPDX-License-Identifier: MIT
// Post-dominators among the blocks that are no ends; between a divided block and the nearest of
// them nothing is whole.
#include "cpu/simt/analysis/warp_sites.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include <utility>
#include <vector>

#include "cpu/kernel_abi/frames.h"
#include "cpu/kernel_abi/wgmma.h"
#include "cpu/lower/callee_name.h"
#include "cpu/lower/memory_scopes.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/shared_memory.h"

namespace pycuda::cpu::simt {

namespace pseudo = lower::pseudo;

bool exchanges_in_warp(const llvm::Instruction& access) {
  const llvm::Value* address = llvm::getLoadStorePointerOperand(&access);
  if (address == nullptr || !access.isVolatile()) return false;
  return is_in_shared(address) || access.hasMetadata(lower::generic_access);
}

bool exchanges_in_step(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    return exchanges_in_warp(instruction);
  });
}

llvm::DenseSet<const llvm::Function*> functions_in_step(const llvm::Module& module) {
  llvm::DenseSet<const llvm::Function*> found;
  bool by_pointer = false;
  const auto leads_there = [&](const llvm::Instruction& instruction) {
    if (exchanges_in_warp(instruction)) return true;
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call) return false;
    if (const llvm::Function* callee = call->getCalledFunction()) return found.contains(callee);
    return call->isIndirectCall() && by_pointer;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::Function& function : module) {
      if (found.contains(&function) || !llvm::any_of(llvm::instructions(function), leads_there))
        continue;
      found.insert(&function);
      by_pointer |= function.hasFnAttribute("ptx-address-taken");
      changed = true;
    }
  }
  return found;
}

bool needs_warps(const llvm::Function& function) {
  if (exchanges_in_step(function)) return true;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    llvm::StringRef name = lower::callee_name(instruction);
    if (name == pseudo::warp_op) return true;
    if (name.consume_front(pseudo::sreg_prefix) &&
        (name == "laneid" || name == "warpid" || name.starts_with("lanemask.")))
      return true;
  }
  return false;
}

bool has_barriers(const llvm::Function& function) { return calls(function, pseudo::barrier_sync); }

namespace {

const llvm::CallBase* warp_call_in(const llvm::Value* value) {
  return lower::callee_name(*value) == pseudo::warp_op ? llvm::cast<llvm::CallBase>(value)
                                                       : nullptr;
}

WarpOp kind_of(const llvm::CallBase& operation) {
  return static_cast<WarpOp>(
      llvm::cast<llvm::ConstantInt>(operation.getArgOperand(1))->getZExtValue());
}

const llvm::BranchInst* fork_of(const llvm::BasicBlock& block) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  return branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1)
             ? branch
             : nullptr;
}

}  // namespace

bool counts_lanes(const llvm::Instruction& instruction) {
  const llvm::CallBase* operation = warp_call_in(&instruction);
  return operation && counts(kind_of(*operation));
}

WarpSites::WarpSites(llvm::Function& function, const ControlFlow& flow, const Shapes& shapes)
    : flow_(flow), shapes_(shapes), dominators_(function) {
  find_ends();
  for (const llvm::BasicBlock* block : flow.order()) {
    const llvm::BranchInst* fork = fork_of(*block);
    if (!fork || shapes.of(fork->getCondition()).is_uniform()) continue;
    if (is_end(*fork->getSuccessor(0)) || is_end(*fork->getSuccessor(1))) continue;
    part(*block);
  }
}

/// Blocks that return at once, or that end in a trap: whoever gets there never meets others again.
void WarpSites::find_ends() {
  for (auto next = flow_.order().rbegin(); next != flow_.order().rend(); ++next) {
    const llvm::BasicBlock& block = **next;
    const llvm::Instruction* end = block.getTerminator();
    if (llvm::isa<llvm::UnreachableInst>(end)) {
      ends_.insert(&block);
      continue;
    }
    const bool empty = block.getFirstNonPHIOrDbg() == end;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(end);
    const bool leads = llvm::isa<llvm::ReturnInst>(end) ||
                       (branch && branch->isUnconditional() && is_end(*branch->getSuccessor(0)));
    if (empty && leads) ends_.insert(&block);
  }
}

void WarpSites::part(const llvm::BasicBlock& divided) {
  // Blocks that lanes may get to, the nearest first, each with the one that it was found from.
  using Ways = llvm::MapVector<const llvm::BasicBlock*, const llvm::BasicBlock*>;
  const auto lead_on = [&](Ways& ways, const llvm::BasicBlock* block, const llvm::BasicBlock* but) {
    for (const llvm::BasicBlock* next : llvm::successors(block)) {
      if (!is_end(*next) && next != but) ways.insert({next, block});
    }
  };
  Ways all;
  lead_on(all, &divided, nullptr);
  for (std::size_t i = 0; i < all.size(); ++i) lead_on(all, all.begin()[i].first, nullptr);

  // Where a thread that went all the way stops; in a loop without other exits, where it may.
  const auto is_last = [&](const llvm::BasicBlock* next) { return is_end(*next); };
  const auto must_stop = [&](const auto& way) {
    return llvm::all_of(llvm::successors(way.first), is_last);
  };
  const auto may_stop = [&](const auto& way) {
    return llvm::any_of(llvm::successors(way.first), is_last);
  };
  auto stop = llvm::find_if(all, must_stop);
  const bool always = stop != all.end();
  if (!always) stop = llvm::find_if(all, may_stop);
  const auto stops = [&](const auto& way) { return always ? must_stop(way) : may_stop(way); };

  // All ways to all stops lead through the block where lanes meet: it is on the way to this one. Of
  // several, the first on it has the fewest blocks before it: what can be reached without passing
  // it cannot be behind a later one.
  std::vector<const llvm::BasicBlock*> meetings;
  if (stop != all.end()) {
    const llvm::BasicBlock* block = stop->first;
    do {
      if (block != &divided) meetings.push_back(block);
      block = all.lookup(block);
    } while (block != &divided);
  }
  for (const llvm::BasicBlock* meeting : llvm::reverse(meetings)) {
    Ways before;
    lead_on(before, &divided, meeting);
    bool stopped = false;
    for (std::size_t i = 0; i < before.size() && !stopped; ++i) {
      stopped = stops(before.begin()[i]);
      lead_on(before, before.begin()[i].first, meeting);
    }
    if (stopped) continue;
    all = std::move(before);
    break;
  }
  for (const auto& [block, from] : all) parted_.insert(block);
}

namespace {

const llvm::Value* mask_of(const llvm::CallBase& operation) { return operation.getArgOperand(2); }

bool waits_for_all(const llvm::CallBase& operation) {
  const auto* mask = llvm::dyn_cast<llvm::ConstantInt>(mask_of(operation));
  return mask && mask->isMinusOne();
}

}  // namespace

/// Whether the lanes that are active when `block` runs are all that ever stand in it at a time.
bool WarpSites::is_in_step(const llvm::BasicBlock& block) const {
  const llvm::Loop* loop = flow_.loop_of(&block);
  if (!loop) return true;
  for (const llvm::BasicBlock* other : loop->blocks()) {
    if (flow_.loop_of(other) != loop || !is_whole(*other) || !dominators_.dominates(other, &block))
      continue;
    for (const llvm::Instruction& instruction : *other) {
      const llvm::CallBase* call = warp_call_in(&instruction);
      if (call && waits_for_all(*call)) return true;
    }
  }
  return false;
}

/// `mask` is that of an operation in `block`, which is not whole.
bool WarpSites::names_active_lanes(const llvm::Value* mask, const llvm::BasicBlock& block) const {
  using namespace llvm::PatternMatch;
  if (match(mask, m_Zero())) return is_in_step(block);
  const llvm::Value* result = nullptr;
  if (!match(mask, m_Trunc(m_ExtractValue<0>(m_Value(result))))) return false;
  const llvm::CallBase* source = warp_call_in(result);
  if (!source) return false;
  const llvm::BasicBlock* owner = flow_.owner(block);
  if (kind_of(*source) == WarpOp::ActiveMask)
    return is_in_step(block) && flow_.owner(*source->getParent()) == owner &&
           match(mask_of(*source), m_Zero()) &&
           flow_.loop_of(source->getParent()) == flow_.loop_of(&block);
  const llvm::Value* condition = nullptr;
  if (kind_of(*source) != WarpOp::VoteBallot || !is_whole(*source->getParent()) ||
      !waits_for_all(*source) || !match(source->getArgOperand(3), m_ZExt(m_Value(condition))))
    return false;
  // The branch that decides who is here; empty blocks may lie between.
  for (const llvm::BasicBlock* entered = owner; entered;) {
    const llvm::BasicBlock* before = entered->getSinglePredecessor();
    if (!before) return false;
    const llvm::BranchInst* fork = fork_of(*before);
    if (!fork) {
      entered = before;
      continue;
    }
    const bool holds = fork->getSuccessor(0) == entered;
    const llvm::Value* asked = fork->getCondition();
    const bool same = holds ? asked == condition
                            : match(asked, m_Not(m_Specific(condition))) ||
                                  match(condition, m_Not(m_Specific(asked)));
    return same && is_whole(*before) &&
           flow_.loop_of(before) == flow_.loop_of(source->getParent()) &&
           flow_.loop_of(&block) == flow_.loop_of(before) &&
           dominators_.dominates(source->getParent(), before);
  }
  return false;
}

std::string WarpSites::obstacle(const llvm::CallBase& operation) const {
  if (counts(kind_of(operation))) return {};
  if (kind_of(operation) == warp_group_product) return "matrices of a warp group";
  const llvm::BasicBlock& block = *operation.getParent();
  if (!is_whole(block))
    return names_active_lanes(mask_of(operation), block)
               ? ""
               : "a warp operation in divergent control flow";
  return shapes_.of(mask_of(operation)).is_uniform()
             ? ""
             : "a warp operation whose lanes give different member masks";
}

}  // namespace pycuda::cpu::simt
