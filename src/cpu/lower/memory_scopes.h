// SPDX-License-Identifier: MIT
// Accesses to shared and to global memory never alias: alias scopes tell LLVM, and simt.
#pragma once

#include <llvm/IR/Instructions.h>

#include "cpu/ptx/types.h"

namespace pycuda::cpu::lower {

/// Marks an access that names its space.
void set_memory_scope(llvm::Instruction& access, ptx::Space space);

/// The kind of metadata of volatile accesses that do not name their space, as far as they may be to
/// shared memory (simt/memory/unshared_accesses.h).
inline constexpr const char* generic_access = "ptx.generic";
void mark_generic_access(llvm::Instruction& access);

/// Whether one of the two accesses is to shared and the other one to global memory.
bool are_in_other_spaces(const llvm::Instruction& left, const llvm::Instruction& right);

}  // namespace pycuda::cpu::lower
