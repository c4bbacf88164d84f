// SPDX-License-Identifier: MIT
// Pass: approximate functions become arithmetic.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace pycuda::cpu::libdevice {

/// Whether `call` calls one of lower's approximate functions. Their results do not depend on which
/// NaN an operand is.
bool is_approximation(const llvm::CallInst& call);

/// Replaces the calls of approximate functions in `function` by additions, multiplications, fused
/// multiply-adds, shifts and selects of scalars: operations that IEEE 754 defines. Later passes
/// widen them as they do everything else, so the scalar path and gangs of any width compute the
/// same bits. Sines and cosines of more than 2^17 call the run time; power
/// has a branch for special numbers. With `native`, exponents are
/// split and assembled by native operations (target/native_operations.h): the same bits
/// again.
///
/// Errors, in units of the last place (ulp) where nothing else is said: ex2, lg2, exp, log, cbrt
/// below 1; sinf and cosf below 1.7; power below 2.3; log of f64 below 1, their atan and pow below
/// 2; erfc below 3.2; rsqrt at most 2^-23 of the result (PTX: 2^-22.9); tanh 2^-22 of the result
/// (PTX: 2^-11); sin and cos 2^-22.9 absolute (PTX: 2^-20.5 in [-2 pi, 2 pi]).
void expand_approximations(llvm::Function& function, bool native);

}  // namespace pycuda::cpu::libdevice
