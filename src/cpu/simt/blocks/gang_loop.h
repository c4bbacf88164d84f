// SPDX-License-Identifier: MIT
// Pass: the gang functions of a kernel without barriers become a loop over the gangs of a block.
#pragma once

#include <llvm/IR/Function.h>

#include "cpu/simt/analysis/shape.h"

namespace pycuda::cpu::simt {

/// The number of lanes that a gang function finds in its frame, and its place in the block: read
/// once, at its start.
void replace_gang_values(llvm::Function& gang);

/// Inlines both into `name`, a BlockFunction. Gangs lie along x: full ones, then one for the rest
/// of the row. Without `tail` there is no rest: blocks are made of whole gangs, or of whole tiles.
llvm::Function* make_gang_loop(llvm::Function& full, llvm::Function* tail, llvm::StringRef name,
                               GangSize size);

}  // namespace pycuda::cpu::simt
