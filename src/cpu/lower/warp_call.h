// SPDX-License-Identifier: MIT
// The call that every warp operation becomes.
#pragma once

#include "cpu/kernel_abi/frames.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {

/// The two results of a warp operation, as i64.
struct WarpResult {
  llvm::Value* value = nullptr;
  llvm::Value* second = nullptr;
};

/// `mask` is an i32, null for the lanes that stand at the same place; operands are i64 or null for
/// 0.
WarpResult warp_call(FunctionLowering& lowering, WarpOp operation, llvm::Value* mask,
                     llvm::Value* operand0 = nullptr, llvm::Value* operand1 = nullptr,
                     llvm::Value* operand2 = nullptr);

}  // namespace pycuda::cpu::lower
