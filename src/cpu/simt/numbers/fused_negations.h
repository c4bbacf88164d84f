// SPDX-License-Identifier: MIT
// Pass: negations that fused products do by themselves.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// PTX negates doubles but quiets NaNs, which takes three instructions. In an operand of llvm.fma
/// none is needed where the processor has fused products that subtract: they take an operand's NaN
/// as it is and quiet it. Puts the negation beside the product, where instruction selection finds
/// it; so no pass that moves code may follow. For processors with such instructions; the caller has
/// asked.
void fuse_negations(llvm::Function& function);

}  // namespace pycuda::cpu::simt
