// SPDX-License-Identifier: MIT
// The emitters behind emit_arith, by kind of operand.
#pragma once

#include "cpu/ptx/module.h"

namespace pycuda::cpu::lower {

class FunctionLowering;

bool emit_int_arith(FunctionLowering& lowering, const ptx::Instruction& instruction);
bool emit_carry(FunctionLowering& lowering,
                const ptx::Instruction& instruction);  ///< .cc, addc, subc, madc
bool emit_dot_product(FunctionLowering& lowering,
                      const ptx::Instruction& instruction);  ///< dp4a, dp2a
bool emit_24_bit(FunctionLowering& lowering,
                 const ptx::Instruction& instruction);  ///< mul24, mad24
/// f16, bf16 (packed too), f32 and f64.
bool emit_float_arith(FunctionLowering& lowering, const ptx::Instruction& instruction);
/// div, rcp and sqrt with a rounding; the approximate forms are emit_math's.
bool emit_rounded_quotient(FunctionLowering& lowering, const ptx::Instruction& instruction);

}  // namespace pycuda::cpu::lower
