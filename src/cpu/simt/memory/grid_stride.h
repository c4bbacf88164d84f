// SPDX-License-Identifier: MIT
// Pass: loops in which threads step over the whole grid let all gangs do a trip in turn.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// Puts pauses on the back edges of loops that whole gangs go round and whose addresses step over
/// the grid (by a multiple of nctaid * ntid, as far as can be seen): one gang alone would walk
/// memory in jumps, all of them together walk it in long runs. `function` is in the form that
/// ControlFlow asks for and has no barriers. True if there is a pause now.
bool pause_in_grid_strides(llvm::Function& function, unsigned lanes);

/// Whether a loop of `kernel`, which has ControlFlow's form, seems to step over the grid, in gangs
/// of `lanes`.
bool may_stride_over_grid(llvm::Function& kernel, unsigned lanes);

/// Takes the pauses of a gang's function out again.
void drop_pauses(llvm::Function& gang);

}  // namespace pycuda::cpu::simt
