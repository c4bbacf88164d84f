// SPDX-License-Identifier: MIT
// The elements of matrices as numbers, and what sums of their products are made of.
#pragma once

#include "cpu/lower/matrix_tile.h"

namespace pycuda::cpu::lower {

/// Element `index` of a register as a number that products are made of: a float, a double or an
/// i32. Of B1 the whole register.
llvm::Value* element(FunctionLowering& lowering, llvm::Value* bits, MatrixType type,
                     unsigned index);

/// A float of a sign, so many bits of an exponent and of a mantissa, and without infinities and
/// NaN, from the lower bits of an i32; others do not count. Up to 5 and 10 bits.
llvm::Value* narrow_float(FunctionLowering& lowering, llvm::Value* code, unsigned exponent_bits,
                          unsigned mantissa_bits);

/// sum + a * b
llvm::Value* add_product(FunctionLowering& lowering, const TileProduct& product, llvm::Value* a,
                         llvm::Value* b, llvm::Value* sum);

}  // namespace pycuda::cpu::lower
