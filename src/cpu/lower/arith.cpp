// SPDX-License-Identifier: MIT
// Arithmetic opcodes serve integers and floats: sends each to the emitters of its type.
#include "cpu/lower/arith.h"

#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {

bool emit_arith(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  using enum ptx::Opcode;
  switch (instruction.opcode) {
    case addc:
    case madc:
    case subc:
      return emit_carry(lowering, instruction);
    case dp2a:
    case dp4a:
      return emit_dot_product(lowering, instruction);
    case mad24:
    case mul24:
      return emit_24_bit(lowering, instruction);
    default:
      break;
  }
  if (instruction.modifiers.cc) return emit_carry(lowering, instruction);
  if (ptx::is_float(instruction.modifiers.type())) return emit_float_arith(lowering, instruction);
  return emit_int_arith(lowering, instruction);
}

}  // namespace pycuda::cpu::lower
