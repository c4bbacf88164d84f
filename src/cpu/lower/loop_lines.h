// SPDX-License-Identifier: MIT
// The source lines of loops, to report where an endless thread is.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>

namespace pycuda::cpu::lower {

/// Says of a branch backwards in which line of the source it is.
void remember_line(llvm::BranchInst& branch, std::uint32_t line, std::uint32_t file);

/// What may fault notes its line down in its thread's frame. `function` is newly lowered: a note is
/// put in front of each loop that has none in it: one for it and the loops in it, where a branch of
/// it has a line. A loop that has notes gets no other, which would be made in each trip.
void note_lines_of_loops(llvm::Function& function);

}  // namespace pycuda::cpu::lower
