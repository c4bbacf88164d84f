// SPDX-License-Identifier: MIT
// Pass: loops that the program's compiler unrolled go trip by trip again where lanes leave them at
// different trips.
#pragma once

#include <llvm/IR/Function.h>

#include "cpu/simt/analysis/shape.h"

namespace pycuda::cpu::simt {

/// Compilers write `for (j = first; j < end; j += 32)` down as a loop of a few trips, as many as
/// are left over by four, and one that makes four at a time. Where neighbouring lanes begin at
/// neighbouring elements they are then at different trips at the same time. Such pairs of loops get
/// a third one beside them, which makes all trips alone: for gangs whose lanes all count their
/// trips by `first` and `end`. That the second loop does what four trips of the first do is made
/// sure of; loops that write memory are left. `function` is in the form that ControlFlow asks for,
/// and has to be brought into it again where the answer is that it changed.
bool reroll_loops(llvm::Function& function, GangSize size);

}  // namespace pycuda::cpu::simt
