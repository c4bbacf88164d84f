// SPDX-License-Identifier: MIT
// Divergent loops from divergent branches, owners of masks, the order of blocks.
#include "cpu/simt/analysis/divergence.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>

namespace pycuda::cpu::simt {

ControlFlow::ControlFlow(llvm::Function& function)
    : function_(function), dominators_(function), post_dominators_(function), loops_(dominators_) {
  append_region(nullptr, &function.getEntryBlock());
  for (std::size_t i = 0; i < order_.size(); ++i) positions_[order_[i]] = i;
}

/// Depth first over the region's own blocks and, as single nodes, its inner loops.
void ControlFlow::append_region(llvm::Loop* region, llvm::BasicBlock* entry) {
  struct Frame {
    llvm::BasicBlock* block;  // a block of the region itself, or the header of an inner loop
    std::vector<llvm::BasicBlock*> next;
  };
  const auto inner_loop = [&](llvm::BasicBlock* block) -> llvm::Loop* {
    llvm::Loop* loop = loops_.getLoopFor(block);
    if (loop == region) return nullptr;
    while (loop && loop->getParentLoop() != region) loop = loop->getParentLoop();
    return loop;
  };
  const auto node = [&](llvm::BasicBlock* block) {
    llvm::Loop* loop = inner_loop(block);
    return loop ? loop->getHeader() : block;
  };
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> seen;
  std::vector<Frame> stack;
  std::vector<llvm::BasicBlock*> finished;
  const auto push = [&](llvm::BasicBlock* block) {
    if (!seen.insert(block).second) return;
    llvm::SmallVector<llvm::BasicBlock*, 8> successors;
    if (llvm::Loop* loop = inner_loop(block)) {
      loop->getExitBlocks(successors);
    } else {
      successors.append(llvm::succ_begin(block), llvm::succ_end(block));
    }
    Frame frame{block, {}};
    for (llvm::BasicBlock* successor : successors) {
      const bool inside = !region || region->contains(successor);
      if (inside && !(region && successor == region->getHeader()))
        frame.next.push_back(node(successor));
    }
    stack.push_back(std::move(frame));
  };
  push(entry);
  while (!stack.empty()) {
    if (stack.back().next.empty()) {
      finished.push_back(stack.back().block);
      stack.pop_back();
      continue;
    }
    llvm::BasicBlock* block = stack.back().next.back();
    stack.back().next.pop_back();
    push(block);
  }
  for (auto block = finished.rbegin(); block != finished.rend(); ++block) {
    if (llvm::Loop* loop = inner_loop(*block)) {
      append_region(loop, *block);
    } else {
      order_.push_back(*block);
    }
  }
}

bool ControlFlow::mark_divergent(const llvm::BranchInst& branch) {
  if (!branches_.insert(&branch).second) return false;
  all_lanes_.clear();
  return true;
}

bool ControlFlow::is_divergent(const llvm::BasicBlock& block) const {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (!branch) return false;
  if (branches_.contains(branch)) return true;
  for (const llvm::Loop* loop = loops_.getLoopFor(&block); loop; loop = loop->getParentLoop()) {
    if (!loops_divergent_.contains(loop)) continue;
    for (const llvm::BasicBlock* successor : llvm::successors(&block)) {
      if (!loop->contains(successor)) return true;
    }
  }
  return false;
}

bool ControlFlow::paths_diverge(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const {
  if (is_divergent(from)) return true;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
  std::vector<const llvm::BasicBlock*> pending;
  const llvm::Loop* own = loops_.getLoopFor(&to);
  const bool header = loops_.isLoopHeader(&to);
  for (const llvm::BasicBlock* before : llvm::predecessors(&to)) {
    if (!(header && own->contains(before))) pending.push_back(before);
  }
  while (!pending.empty()) {
    const llvm::BasicBlock* block = pending.back();
    pending.pop_back();
    if (block == &from || !seen.insert(block).second || !dominators_.isReachableFromEntry(block))
      continue;
    if (is_divergent(*block)) return true;
    pending.insert(pending.end(), llvm::pred_begin(block), llvm::pred_end(block));
  }
  return false;
}

bool ControlFlow::is_divergent_join(const llvm::BasicBlock& block) const {
  if (block.hasNPredecessorsOrMore(2) == false || loops_.isLoopHeader(&block)) return false;
  const auto* node = dominators_.getNode(&block);
  return node && node->getIDom() && paths_diverge(*node->getIDom()->getBlock(), block);
}

/// Whether all that run `from` run `to` next, in the same trip of `loop`, in which both are. That
/// `to` post-dominates `from` is not enough: who skips it may come by in a later trip, of this loop
/// or of one around it.
bool ControlFlow::always_leads(const llvm::BasicBlock& from, const llvm::BasicBlock& to,
                               const llvm::Loop* loop) const {
  if (!post_dominators_.dominates(&to, &from)) return false;
  if (!loop) return true;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
  llvm::SmallVector<const llvm::BasicBlock*, 16> pending{&from};
  while (!pending.empty()) {
    const llvm::BasicBlock* block = pending.pop_back_val();
    if (block == &to || !seen.insert(block).second) continue;
    for (const llvm::BasicBlock* next : llvm::successors(block)) {
      if (next == loop->getHeader() || !loop->contains(next)) return false;
      pending.push_back(next);
    }
  }
  return true;
}

/// A block that dominates `block`, has the same mask, and is nearest to it; null if none is known.
const llvm::BasicBlock* ControlFlow::shared_with(const llvm::BasicBlock& block) const {
  const auto* node = dominators_.getNode(&block);
  if (!node || !node->getIDom()) return nullptr;
  const llvm::BasicBlock* parent = node->getIDom()->getBlock();
  const llvm::Loop* loop = loops_.getLoopFor(&block);
  if (loops_.isLoopHeader(&block)) return loops_divergent_.contains(loop) ? nullptr : parent;
  for (const auto* above = node->getIDom(); above; above = above->getIDom()) {
    const llvm::BasicBlock* candidate = above->getBlock();
    if (loops_.getLoopFor(candidate) == loop && always_leads(*candidate, block, loop))
      return candidate;
    if (loop && candidate == loop->getHeader()) break;
  }
  return paths_diverge(*parent, block) ? nullptr : parent;
}

bool ControlFlow::shares_header(const llvm::BasicBlock& block, const llvm::Loop& loop) const {
  const llvm::BasicBlock* current = &block;
  while (current && current != loop.getHeader()) current = shared_with(*current);
  return current != nullptr;
}

bool ControlFlow::has_all_lanes(const llvm::BasicBlock& block) const {
  llvm::SmallVector<const llvm::BasicBlock*, 16> chain;
  const llvm::BasicBlock* current = &block;
  while (current && current != &function_.getEntryBlock() && !all_lanes_.contains(current)) {
    chain.push_back(current);
    current = shared_with(*current);
  }
  const auto known = all_lanes_.find(current);
  const bool all = current && (known == all_lanes_.end() || known->second);
  for (const llvm::BasicBlock* link : chain) all_lanes_[link] = all;
  return all;
}

bool ControlFlow::update() {
  bool changed = false;
  for (const llvm::Loop* loop : loops_.getLoopsInPreorder()) {
    if (loops_divergent_.contains(loop)) continue;
    llvm::SmallVector<llvm::BasicBlock*, 8> exiting;
    loop->getExitingBlocks(exiting);
    for (const llvm::BasicBlock* block : exiting) {
      if (!is_divergent(*block) && shares_header(*block, *loop)) continue;
      loops_divergent_.insert(loop);
      all_lanes_.clear();
      changed = true;
      break;
    }
  }
  return changed;
}

void ControlFlow::assign_owners() {
  const llvm::BasicBlock* entry = &function_.getEntryBlock();
  for (const llvm::BasicBlock* block : order_) {
    const llvm::BasicBlock* shared = block == entry ? nullptr : shared_with(*block);
    const llvm::BasicBlock* root = shared ? owners_.lookup(shared) : block;
    // Blocks between the two that do not belong to the owner may be visited when it was skipped.
    for (std::size_t i = position(root) + 1; i < position(block) && root != block; ++i) {
      if (!dominators_.dominates(root, order_[i])) root = block;
    }
    owners_[block] = root;
  }
}

const llvm::BasicBlock* ControlFlow::owner(const llvm::BasicBlock& block) const {
  return owners_.lookup(&block);
}

unsigned ControlFlow::usual_trips(const llvm::BasicBlock& block, const llvm::Loop* within) const {
  constexpr unsigned guess = 8, most = 512;
  unsigned trips = 1;
  for (const llvm::Loop* loop = loop_of(&block); loop && loop != within && trips < most;
       loop = loop->getParentLoop())
    trips *= guess;
  return trips;
}

}  // namespace pycuda::cpu::simt
