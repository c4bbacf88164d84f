// SPDX-License-Identifier: MIT
// Code for CUDA's cbrtf and powf: the same bits with and without native operations.
#pragma once

#include <llvm/IR/Instructions.h>

#include "cpu/libdevice/float_code.h"

namespace pycuda::cpu::libdevice {

/// The cube root of an f32, within 1 ulp.
llvm::Value* cube_root(FloatCode& code, llvm::Value* x);

/// What `call` computes of its two operands, an f32 x to the power of y, within 2.3 ulp (of
/// the exact result; CUDA says 4). Has a branch
/// of its own for numbers that are not above zero, infinite or NaN; `code` goes on behind it.
llvm::Value* power(FloatCode& code, llvm::CallInst& call);

}  // namespace pycuda::cpu::libdevice
