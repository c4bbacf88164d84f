// SPDX-License-Identifier: MIT
// Analysis: which addresses lie in a block's shared memory.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Value.h>

namespace pycuda::cpu::simt {

/// Whether `address` is known to, through whatever it is computed by but choices and phis.
bool is_in_shared(const llvm::Value* address);
/// Whether `address` is known to for one of the values that a choice or phi makes it.
bool may_be_in_shared(const llvm::Value* address);
/// Whether `function` itself reads or writes shared memory, or takes an address there.
bool uses_shared_memory(const llvm::Function& function);

}  // namespace pycuda::cpu::simt
