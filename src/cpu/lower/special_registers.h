// SPDX-License-Identifier: MIT
// Special registers such as %tid.
#pragma once

#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {

/// The value of a special register as an i32 or i64, or null when the driver has none such.
llvm::Value* read_special_register(FunctionLowering& lowering, const ptx::Operand& operand);

}  // namespace pycuda::cpu::lower
