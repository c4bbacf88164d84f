// SPDX-License-Identifier: MIT
// Pass: what an index may leave does not lie among return addresses.
#pragma once

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// Variables that are not provably accessed within their bounds alone leave the function's frame:
/// for the OS thread's local memory (pycuda_cpu_local_push), or, of a coroutine that is not yet
/// split, for its CUDA thread's (pycuda_cpu_variable_push): its frame holds what it goes on with.
/// Of other functions after all that may yet dissolve variables. True if it changed something; not
/// the blocks and branches.
bool use_safe_stack(llvm::Function& function, llvm::ScalarEvolution& evolution);

}  // namespace pycuda::cpu::simt
