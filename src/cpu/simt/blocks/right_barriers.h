// SPDX-License-Identifier: MIT
// Pass: barriers that every thread of the block comes to need no check while the block runs.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// Drops what tells the checks of barriers (pycuda_cpu_note_gang_barrier) if at each of them all
/// lanes of the gang arrive. `full` and `tail` (or null) are the functions of a block's gangs,
/// which agree on the way from barrier to barrier (analysis/uniform_barriers.h).
void drop_notes_of_right_barriers(llvm::Function& full, llvm::Function* tail);

}  // namespace pycuda::cpu::simt
