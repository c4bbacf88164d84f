// SPDX-License-Identifier: MIT
// Pass: PTX's min and max of f32 and f64 become the shortest code that is exact.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace pycuda::cpu::simt {

/// Whether `call` calls one of lower's functions for the smaller or larger of two numbers.
bool is_extremum(const llvm::CallInst& call);

/// Replaces these calls in `function`. Where one operand is never NaN, as constants are, and the
/// signs of zeros cannot matter, a comparison and a choice are all: one instruction of any
/// processor. With `native`, one native operation does the rest, which takes numbers that may
/// be signalling NaNs through another one. Comes after whatever makes NaNs canonical, or no longer:
/// which NaN an operand is must not change any more.
void expand_extrema(llvm::Function& function, bool native);

}  // namespace pycuda::cpu::simt
