// SPDX-License-Identifier: MIT
// Moves what an instruction is computed from ahead of another in its block.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Instruction.h>

namespace pycuda::cpu::simt {

/// All that `user` needs is computed before `place`, an instruction before it in its block, if that
/// cannot be observed from the outside and nothing of it `must_stay`; else all is left where it is.
void compute_ahead(llvm::Instruction& user, llvm::Instruction& place,
                   llvm::function_ref<bool(const llvm::Instruction&)> must_stay);

}  // namespace pycuda::cpu::simt
