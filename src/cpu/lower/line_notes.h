// SPDX-License-Identifier: MIT
// Notes of source lines, for fault messages: volatile stores of constants to a thread's frame.
#pragma once

#include <llvm/IR/Instruction.h>

namespace pycuda::cpu::lower {

/// Whether `instruction` notes a line down. No code of a kernel reads it.
bool is_line_note(const llvm::Instruction& instruction);

}  // namespace pycuda::cpu::lower
