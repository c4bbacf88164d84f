// SPDX-License-Identifier: MIT
// The forms of cvt that make or read packed, tf32 and 8-bit floats.
#pragma once

#include "cpu/ptx/module.h"

namespace pycuda::cpu::lower {

class FunctionLowering;

/// cvt.pack.sat
bool emit_convert_pack(FunctionLowering& lowering, const ptx::Instruction& instruction);

/// Floats narrower than a byte, exponents, fixed-point numbers, and pairs of bf16 with these.
bool emit_narrow_convert(FunctionLowering& lowering, const ptx::Instruction& instruction);

bool emit_packed_convert(FunctionLowering& lowering, const ptx::Instruction& instruction);

}  // namespace pycuda::cpu::lower
