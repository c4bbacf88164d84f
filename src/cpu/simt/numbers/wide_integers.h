// SPDX-License-Identifier: MIT
// Pass: integers of more than 64 bits in parts of 64, which have a vector form.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// Products of which the upper half is wanted, and sums that keep their carry, are computed in up
/// to 128 bits. Does nothing if `function` has an instruction on such numbers that is not among
/// those that occur there.
void split_wide_integers(llvm::Function& function);

}  // namespace pycuda::cpu::simt
