// SPDX-License-Identifier: MIT
// Pass: finds the sequences that CUDA's compilers write for expf and logf.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// Replaces what CUDA expands expf(x) and logf(x) to by calls of approximate functions: shorter
/// (expf needs a sum rounded down, logf a branch), and at most 1 ulp off, where CUDA documents 2
/// and 1. Comes after drop_unseen_payloads, which removes what lies between the operations. Returns
/// how many it found. What is left of the sequences is dead, but for empty blocks.
unsigned recognise_math(llvm::Function& function);

}  // namespace pycuda::cpu::simt
