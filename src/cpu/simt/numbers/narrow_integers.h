// SPDX-License-Identifier: MIT
// Pass: arithmetic on bytes and halves is done in as few bits as hold its results.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// A thread's registers have 32 or 64 bits at no cost, and LLVM prefers 64; a vector's lanes are as
/// many as they are narrow. What can be proved to stay within 16 bits (of 64: within 32), signed or
/// not, is computed there: sums, products, shifts, bits, minima and maxima, and quotients by
/// constants, also where the compiler made multiplications of them. Returns how many operations
/// became narrow. No pass that widens scalars again may follow.
unsigned narrow_integers(llvm::Function& function);

}  // namespace pycuda::cpu::simt
