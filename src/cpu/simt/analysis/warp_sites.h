// SPDX-License-Identifier: MIT
// Analysis: which warp operations a gang that is a warp can execute at once.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <string>

#include "cpu/simt/analysis/divergence.h"
#include "cpu/simt/analysis/shape.h"

namespace pycuda::cpu::simt {

/// Lanes of a gang that holds a warp, 32 consecutive threads of a block.
inline constexpr unsigned warp_lanes = 32;

/// Whether `function` has warp operations, reads lane numbers or has volatile accesses to shared
/// memory, so that its gangs must be warps.
bool needs_warps(const llvm::Function& function);
/// Whether `access` may be one to volatile shared memory. Programs from before Volta exchange
/// values within a warp by such accesses, without barriers: each is made for all lanes before the
/// next. Accesses that do not name their space count unless unmark_unshared_accesses knows better.
bool exchanges_in_warp(const llvm::Instruction& access);
/// Whether its threads rely on those of their warp taking each step with them: `function` has such
/// accesses.
bool exchanges_in_step(const llvm::Function& function);
/// Those functions of `module`, and all that call one of them.
llvm::DenseSet<const llvm::Function*> functions_in_step(const llvm::Module& module);
/// Whether it is an operation that counts what the warp executes (kernel_abi/counters.h). The lanes
/// of a gang may come to one of several copies of it, if they come there together.
bool counts_lanes(const llvm::Instruction& instruction);
/// Whether its threads wait for their whole block.
bool has_barriers(const llvm::Function& function);

/// The rule. A warp operation waits for the lanes that its member mask names, as far as they have
/// not exited; those that wait at it with the same mask then execute it together (exec/block_run).
/// A gang executes an operation for the lanes that are active in its block: the two must be the
/// same lanes. They are, in two cases.
///
/// In a *whole* block, when all lanes give the same mask or the operation has none. A block is
/// whole if, whenever it runs, every lane that is not active in it has exited: no divergent branch
/// leads to it from which lanes may go elsewhere and still do something but return or trap. So all
/// lanes that have not exited execute the operation together on either path, whatever the mask
/// names; lanes that are not in their own mask take part, there as here.
///
/// In another block, when the mask is known to name the active lanes. It does when it is the result
/// of a ballot in a whole block over the very condition that leads here: lanes that it names wait
/// for each other from trip to trip of a loop. It also does when the operation has no mask (then it
/// concerns the lanes that stand at it), or that of `activemask` in a block with the same active
/// lanes, if lanes that stand at it are there in the same trip: the block is in no loop, or in its
/// innermost loop a whole block comes before it with an operation that waits for all lanes.
///
/// Everything else stays thread by thread: a mask that names lanes which are elsewhere makes the
/// operation wait for them, and lanes of a gang cannot wait for each other.
class WarpSites {
 public:
  WarpSites(llvm::Function& function, const ControlFlow& flow, const Shapes& shapes);

  bool is_whole(const llvm::BasicBlock& block) const { return !parted_.contains(&block); }
  /// Why a gang cannot execute `operation`, a call of the warp pseudo function; empty if it can.
  std::string obstacle(const llvm::CallBase& operation) const;

 private:
  void find_ends();
  void part(const llvm::BasicBlock& divided);
  bool is_in_step(const llvm::BasicBlock& block) const;
  bool names_active_lanes(const llvm::Value* mask, const llvm::BasicBlock& block) const;
  bool is_end(const llvm::BasicBlock& block) const { return ends_.contains(&block); }

  const ControlFlow& flow_;
  const Shapes& shapes_;
  llvm::DominatorTree dominators_;
  llvm::DenseSet<const llvm::BasicBlock*> ends_;    ///< lead to the end of the thread, do nothing
  llvm::DenseSet<const llvm::BasicBlock*> parted_;  ///< not whole
};

}  // namespace pycuda::cpu::simt
