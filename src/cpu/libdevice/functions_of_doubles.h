// SPDX-License-Identifier: MIT
// Arithmetic for exp, log, pow and atan of doubles: additions, products, quotients and selects.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace pycuda::cpu::libdevice {

/// log(x), below 1 ulp off. NaNs are quieted.
llvm::Value* logarithm_of_double(llvm::IRBuilder<>& b, llvm::Value* x, bool native);

/// exp(x + more), with CUDA's bits where `more` is null; `more` is a rounding error of x. Below 1
/// ulp off.
llvm::Value* exponential_of_double(llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value* more,
                                   bool native);

/// x^y of positive finite x and finite y, below 2 ulp off; of others any number.
llvm::Value* power_of_doubles(llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value* y, bool native);

/// atan(x) of x that is not negative, below 2 ulp off. NaNs are quieted.
llvm::Value* arc_tangent_of_double(llvm::IRBuilder<>& b, llvm::Value* x);

}  // namespace pycuda::cpu::libdevice
