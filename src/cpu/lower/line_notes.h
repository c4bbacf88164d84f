// SPDX-License-Identifier: MIT
// Notes of source lines, for fault messages: volatile stores of constants to a thread's frame.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instruction.h>

#include <cstdint>

namespace pycuda::cpu::lower {

/// Notes where `thread`, the frame, is in the source: a line of the file of that number.
void note_line(llvm::IRBuilderBase& builder, llvm::Value* thread, std::uint32_t line,
               std::uint32_t file);

/// Whether `instruction` notes a line down. No code of a kernel reads it.
bool is_line_note(const llvm::Instruction& instruction);

}  // namespace pycuda::cpu::lower
