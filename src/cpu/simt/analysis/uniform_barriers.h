// SPDX-License-Identifier: MIT
// Analysis: kernels whose barriers all gangs of a block come to in the same order.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// Whether all gangs of a block go the same way from barrier to barrier and to the end: so if what
/// decides it, the bounds of loops around barriers for example, is made of parameters, constants
/// and the block's place alone. `gang` is a gang's function before it is split at its barriers.
bool has_uniform_barriers(const llvm::Function& gang);

}  // namespace pycuda::cpu::simt
