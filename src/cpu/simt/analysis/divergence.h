// SPDX-License-Identifier: MIT
// Analysis: which branches and loops divide the lanes of a gang, which blocks share a mask, and an
// order to visit them.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>

#include <vector>

namespace pycuda::cpu::simt {

/// Control flow of a function in loop-simplify and LCSSA form without switches. The shapes' fixed
/// point marks branches as divergent; everything else follows from those marks.
class ControlFlow {
 public:
  explicit ControlFlow(llvm::Function& function);

  /// True if the mark is new.
  bool mark_divergent(const llvm::BranchInst& branch);
  /// Follows from the marks made since the last call: true if a loop became divergent.
  bool update();
  /// Once the marks are final: masks' owners. A block that shares another one's mask runs only when
  /// that one did.
  void assign_owners();

  /// Lanes of `block` may go different ways, or some leave a loop while others stay.
  bool is_divergent(const llvm::BasicBlock& block) const;
  bool is_divergent(const llvm::Loop& loop) const { return loops_divergent_.contains(&loop); }
  /// Lanes that were divided may meet here: a phi chooses per lane.
  bool is_divergent_join(const llvm::BasicBlock& block) const;
  /// By the marks made so far: all lanes that enter the function are active whenever `block` runs.
  bool has_all_lanes(const llvm::BasicBlock& block) const;
  /// The block whose mask `block` has.
  const llvm::BasicBlock* owner(const llvm::BasicBlock& block) const;
  /// All blocks that can be reached: every block after those that lead to it, every loop in one
  /// piece, its latch last.
  const std::vector<llvm::BasicBlock*>& order() const { return order_; }
  std::size_t position(const llvm::BasicBlock* block) const { return positions_.lookup(block); }
  const llvm::DominatorTree& dominators() const { return dominators_; }
  llvm::Loop* loop_of(const llvm::BasicBlock* block) const { return loops_.getLoopFor(block); }
  bool is_header(const llvm::BasicBlock* block) const { return loops_.isLoopHeader(block); }
  /// A guess of how often `block` runs in a thread, or in a trip of `within`, a loop around it;
  /// the length of loops is not known.
  unsigned usual_trips(const llvm::BasicBlock& block, const llvm::Loop* within = nullptr) const;

 private:
  void append_region(llvm::Loop* region, llvm::BasicBlock* entry);
  bool always_leads(const llvm::BasicBlock& from, const llvm::BasicBlock& to,
                    const llvm::Loop* loop) const;
  const llvm::BasicBlock* shared_with(const llvm::BasicBlock& block) const;
  bool shares_header(const llvm::BasicBlock& block, const llvm::Loop& loop) const;
  bool paths_diverge(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const;

  llvm::Function& function_;
  llvm::DominatorTree dominators_;
  llvm::PostDominatorTree post_dominators_;
  llvm::LoopInfo loops_;
  llvm::DenseSet<const llvm::BranchInst*> branches_;
  llvm::DenseSet<const llvm::Loop*> loops_divergent_;
  std::vector<llvm::BasicBlock*> order_;
  llvm::DenseMap<const llvm::BasicBlock*, std::size_t> positions_;
  llvm::DenseMap<const llvm::BasicBlock*, const llvm::BasicBlock*> owners_;
  mutable llvm::DenseMap<const llvm::BasicBlock*, bool> all_lanes_;  ///< answers, until a mark
};

}  // namespace pycuda::cpu::simt
