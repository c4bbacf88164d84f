// SPDX-License-Identifier: MIT
// What a call passes and where its results go: registers, literals, .param variables.
#pragma once

#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {

/// An argument as bits: a register, a literal, or what a .param variable holds.
llvm::Value* argument_bits(FunctionLowering& lowering, const ptx::Operand& argument, unsigned bits);
/// Where an array of at least `bytes` bytes lies that is an argument or a result.
llvm::Value* memory_of(FunctionLowering& lowering, const ptx::Operand& operand,
                       std::uint64_t bytes);
void store_result(FunctionLowering& lowering, const ptx::Operand& destination, llvm::Value* value);

/// A call of the device run-time library (ptx/device_runtime.h) that the module is linked with.
/// False if `name` is none of its functions.
bool emit_device_runtime_call(FunctionLowering& lowering, const std::string& name,
                              const ptx::Call& call);

}  // namespace pycuda::cpu::lower
