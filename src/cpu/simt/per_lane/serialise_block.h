// SPDX-License-Identifier: MIT
// Pass: what only some threads of a block do at each step of a loop, all over shared memory, is
// done thread by thread.
#pragma once

#include "cpu/simt/analysis/shape.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace pycuda::cpu::simt {

/// Blocks that go through a table by its diagonals are an example: between two barriers each thread
/// whose turn it is reads some numbers, none next to its neighbours', and writes one. A gather
/// takes as long for one lane as for all of them, and as several loads of one number each; so does
/// a scatter. Such code becomes a call of a function for one lane (lane_functions.h). True if
/// `function` was changed.
bool serialise_blocks(llvm::Function& function, GangSize size);

}  // namespace pycuda::cpu::simt
