// SPDX-License-Identifier: MIT
// Values that are not read where an operand is zero.
#pragma once

#include <llvm/IR/Instructions.h>

namespace pycuda::cpu::libdevice {

/// Whether whatever is made of `value` is replaced by something else where x is zero: a compiler
/// that knows what comes out for a zero computes it after the test for that, or before.
bool is_unread_at_zero(llvm::Value* value, llvm::Value* x);

}  // namespace pycuda::cpu::libdevice
