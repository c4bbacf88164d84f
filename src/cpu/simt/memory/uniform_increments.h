// SPDX-License-Identifier: MIT
// Pass: what grows by the same step in every lane becomes a start and a distance.
#pragma once

#include <llvm/IR/Function.h>

#include "cpu/simt/analysis/shape.h"

namespace pycuda::cpu::simt {

/// Loops step through memory by adding to a pointer. Where its start is affine but for numbers that
/// might wrap, nothing is known of the pointer itself, and each trip would look at every lane's
/// once more. As the sum of the start, about which one look is enough, and of a distance that is
/// the same for all lanes, its first lane's value is a matter of scalars, and only those live on
/// from trip to trip. `function` is in the form that ControlFlow asks for, and stays in it.
void split_uniform_increments(llvm::Function& function, GangSize size);

}  // namespace pycuda::cpu::simt
