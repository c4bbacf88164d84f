// SPDX-License-Identifier: MIT
// Pass: reciprocals that CUDA's functions of doubles refine from a seed become quotients.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// Two steps from a seed of 20 bits give a reciprocal that is right to 60 bits before it is
/// rounded; the quotient is not less exact, and here the seed is a quotient anyway. Where number
/// and reciprocal are not known to be normal the sequence stays behind a test, for all other
/// numbers. Before approximate functions are expanded. Returns how many it found.
unsigned divide_for_reciprocals(llvm::Function& function);

}  // namespace pycuda::cpu::simt
