// SPDX-License-Identifier: MIT
// Floating-point numbers to integers in vectors, with saturation.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace pycuda::cpu::simt {

/// What llvm.fptosi.sat and llvm.fptoui.sat of vectors give: NaN becomes 0, what is too large or
/// too small the largest or smallest integer. LLVM 19 does those lane by lane on x86.
llvm::Value* convert_saturating(llvm::IRBuilder<>& b, llvm::Value* value, llvm::Type* integers,
                                bool is_signed);

}  // namespace pycuda::cpu::simt
