// SPDX-License-Identifier: MIT
// Parts of a function once more: what passes need that give whole gangs a copy of their own.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstddef>

namespace pycuda::cpu::simt {

using Blocks = llvm::SmallPtrSet<llvm::BasicBlock*, 16>;

/// What control reaches from `block` before it comes to `join`; null: all that it reaches.
Blocks blocks_between(llvm::BasicBlock* block, const llvm::BasicBlock* join);
/// Lanes must not wait for one another in different copies of the same code.
bool may_be_copied(const Blocks& region);
std::size_t instructions_in(const Blocks& region);
/// Afterwards each block finds what others computed in memory, so that copies of blocks may take
/// their place in any order.
void demote_crossing_values(llvm::Function& function);
/// Copies `region` to the function's end; `map` says what became what. The copies' branches to
/// blocks of the region lead to copies.
llvm::SmallVector<llvm::BasicBlock*, 16> copy_region(llvm::Function& function, const Blocks& region,
                                                     const llvm::Twine& suffix,
                                                     llvm::ValueToValueMapTy& map);

}  // namespace pycuda::cpu::simt
