// SPDX-License-Identifier: MIT
// The emitters: one function per family of opcodes, each in its own file, and the table that picks
// one.
#pragma once

#include "cpu/ptx/module.h"

namespace pycuda::cpu::lower {

class FunctionLowering;

/// Emits one instruction at `lowering.builder()`. The guard predicate is already dealt with. An
/// emitter may make basic blocks, and leaves the builder where the next instruction goes. False:
/// this form is not supported (nothing need have been undone); the caller then reports the
/// instruction as written. For a better message, call `lowering.fail()` and return true.
using Emitter = bool (*)(FunctionLowering& lowering, const ptx::Instruction& instruction);

bool emit_tensor_map(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_multimem(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_wgmma(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_arith(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_bits(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_compare(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_convert(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_math(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_video(FunctionLowering& lowering, const ptx::Instruction& instruction);

bool emit_move(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_memory(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_address(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_atomic(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_cache_control(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_control(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_call(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_barrier(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_matrix_move(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_mbarrier(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_mma(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_warp(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_wmma(FunctionLowering& lowering, const ptx::Instruction& instruction);

/// The emitter of an opcode, or null when the driver knows none.
Emitter emitter_of(ptx::Opcode opcode);

}  // namespace pycuda::cpu::lower
