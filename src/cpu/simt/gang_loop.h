// SPDX-License-Identifier: MIT
// Pass: the gang functions of a kernel without barriers become a loop over the gangs of a block.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// The number of lanes that a gang function finds in its frame, and its place in the block: read
/// once, at its start.
void replace_gang_values(llvm::Function& gang);

/// Inlines both into `<name>.gangs`, a BlockFunction. Gangs lie along x and never span rows: full
/// ones, then one for the rest of the row.
llvm::Function* make_gang_loop(llvm::Function& full, llvm::Function& tail, llvm::StringRef name,
                               unsigned lanes);

}  // namespace pycuda::cpu::simt
