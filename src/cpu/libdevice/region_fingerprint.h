// SPDX-License-Identifier: MIT
// A hash of what the code between a branch and its join point computes: for functions with loops
// and slow paths that compilers always emit in the same form.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>

namespace pycuda::cpu::libdevice {

/// One result of a region.
struct RegionResult {
  std::uint64_t fingerprint = 0;
  /// What the region reads, without casts and selects that make NaNs canonical: the branch's
  /// condition first.
  llvm::SmallVector<llvm::Value*, 8> operands;
};

/// The block whose last instruction, a branch, begins the region that `phi` ends; null if none.
llvm::BasicBlock* region_branch(llvm::PHINode& phi, const llvm::DominatorTree& dominators);

/// How `phi`, where the ways meet, comes about from what is `given` and memory: the operations it
/// depends on, branches, stores and their order count, wherever the operations are. Casts,
/// canonical NaNs, blocks that only compute and jump, notes of lines and unused values do not.
RegionResult region_result(llvm::PHINode& phi, llvm::ArrayRef<llvm::Value*> given,
                           const llvm::DominatorTree& dominators);

/// Where control comes to that enters `block` if nothing happens on the way: labels of line tables
/// are blocks that only jump, and lines may be noted down before a loop.
const llvm::BasicBlock* after_nothing(const llvm::BasicBlock* block);

/// The value behind casts between numbers and their bits and selects that make NaNs canonical.
llvm::Value* bare_value(llvm::Value* value);

/// The branches at the ends of `branches` go straight to where their ways meet, if nothing that
/// happens on those is seen elsewhere. Returns how many do.
unsigned drop_regions(llvm::ArrayRef<llvm::BasicBlock*> branches,
                      const llvm::DominatorTree& dominators);

}  // namespace pycuda::cpu::libdevice
