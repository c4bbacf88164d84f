// SPDX-License-Identifier: MIT
// Floating-point numbers to integers, with saturation.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace pycuda::cpu::simt {

/// What llvm.fptosi.sat and llvm.fptoui.sat of vectors give: NaN becomes 0, what is too large or
/// too small the largest or smallest integer. LLVM 19 does those lane by lane.
llvm::Value* convert_saturating(llvm::IRBuilder<>& b, llvm::Value* value, llvm::Type* integers,
                                bool is_signed);

/// f64 to i32 as PTX has it, NaN becoming the least integer, is one native operation for
/// vectors once numbers that are too large have been cut down; f32 to i32 is one but for those and
/// NaN, its rounding to the nearest included. For processors that have it: calls
/// of native operations (target/native_operations.h) instead of what is chosen by comparisons. The
/// same bits.
void convert_natively(llvm::Function& function);

}  // namespace pycuda::cpu::simt
