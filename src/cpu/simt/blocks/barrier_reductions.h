// SPDX-License-Identifier: MIT
// Pass: barriers that count or reduce become sums in the block's frame and plain barriers.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// For functions that gangs will run. Each thread adds to one of the block's three sums, waits and
/// reads it; what was added for the barrier before is cleared then, since everyone has read it.
/// Only barriers 0 of all threads; others are left as they are.
void expand_barrier_reductions(llvm::Function& function);

}  // namespace pycuda::cpu::simt
