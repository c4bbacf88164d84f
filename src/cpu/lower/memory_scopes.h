// SPDX-License-Identifier: MIT
// Accesses to shared and to global memory never meet: alias scopes tell LLVM, and simt.
#pragma once

#include <llvm/IR/Instructions.h>

#include "cpu/ptx/types.h"

namespace pycuda::cpu::lower {

/// Marks an access that names its space.
void set_memory_scope(llvm::Instruction& access, ptx::Space space);

/// Whether one of the two accesses is to shared and the other one to global memory.
bool are_in_other_spaces(const llvm::Instruction& left, const llvm::Instruction& right);

}  // namespace pycuda::cpu::lower
