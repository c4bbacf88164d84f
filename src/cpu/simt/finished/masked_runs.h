// SPDX-License-Identifier: MIT
// Passes over finished vector code: what masks that are known, or nearly so, make simpler.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// Whether any lane of consecutive numbers equals a constant, as in `if (threadIdx.x == 0)`, is a
/// question about the first lane's number, which says which lane it would be: a comparison of
/// scalars, behind which the number, and so the mask, is known. True if `function` was changed.
bool compare_first_lanes(llvm::Function& function);

/// Loads and stores under constant masks of a run of 1, 2, 4 ... lanes become those of shorter
/// vectors: unlike masked ones, they find in the store queue what was stored before. Gathers and
/// scatters of a few known lanes, as of each warp's last one, become accesses of one lane each.
/// True if `function` was changed.
bool shorten_masked_accesses(llvm::Function& function);

}  // namespace pycuda::cpu::simt
