// SPDX-License-Identifier: MIT
// Transcendental and approximate functions: rcp sqrt rsqrt sin cos lg2 ex2 tanh, and the
// approximate forms of div.
//
// PTX bounds the error of an approximation, it does not say which value within the bound comes out:
// results differ from a GPU's in the last places. rcp, sqrt and quotients are rounded correctly;
// simt/approximate writes the code of the others.
#include <string>

#include "cpu/lower/approximations.h"
#include "cpu/lower/arith.h"
#include "cpu/lower/emitter.h"
#include "cpu/lower/float_ops.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

/// The f32 function behind an opcode.
Value* approximate_float(FunctionLowering& lowering, const Instruction& instruction, bool ftz,
                         Value* value) {
  const std::string name = approximation::prefix + std::string(ptx::name_of(instruction.opcode)) +
                           (ftz && instruction.opcode != Opcode::tanh ? ".ftz" : "");
  return lowering.pure_call(name, lowering.builder().getFloatTy(), {value});
}

/// rcp and sqrt flush subnormal operands and results where the instruction does.
Value* approximate(FunctionLowering& lowering, const Instruction& instruction, Value* value) {
  llvm::IRBuilder<>& b = lowering.builder();
  FloatOps ops(lowering);
  const bool ftz = instruction.modifiers.ftz;
  const bool reciprocal = instruction.opcode == Opcode::rcp;
  if (!reciprocal && instruction.opcode != Opcode::sqrt)
    return approximate_float(lowering, instruction, ftz, value);
  if (ftz) value = ops.flush(value);
  Value* result = reciprocal ? b.CreateFDiv(ops.constant(b.getFloatTy(), 1.0), value)
                             : ops.intrinsic(llvm::Intrinsic::sqrt, value);
  if (ftz) result = ops.flush(result);
  return ops.canonical(result);
}

/// ex2 and tanh of 16-bit floats.
Value* approximate_half(FunctionLowering& lowering, const Instruction& instruction, Value* value) {
  llvm::IRBuilder<>& b = lowering.builder();
  FloatOps ops(lowering);
  llvm::Type* type = value->getType();
  if (instruction.modifiers.ftz) value = ops.flush(value);
  Value* wide = approximate_float(lowering, instruction, false, ops.widen(value, b.getFloatTy()));
  Value* result = ops.narrow(wide, type, ptx::Rounding::Rn);
  if (instruction.modifiers.ftz) result = ops.flush(result);
  return ops.canonical(result);
}

/// div.approx (a times an approximate 1/b) and div.full, which scales its operands first.
bool emit_quotient(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  FloatOps ops(lowering);
  if (instruction.modifiers.type() != Type::F32 || instruction.operands.size() != 3) return false;
  Value* left = lowering.read(instruction.operands[1], Type::F32);
  Value* right = lowering.read(instruction.operands[2], Type::F32);
  if (instruction.modifiers.ftz) {
    left = ops.flush(left);
    right = ops.flush(right);
  }
  Value* result = b.CreateFDiv(left, right);
  if (instruction.modifiers.approx) {
    // The reciprocal of a divisor above 2^126 is flushed.
    Value* large = b.CreateFCmpOGT(ops.absolute(right), ops.constant(b.getFloatTy(), 0x1p126));
    Value* sign = b.CreateAnd(b.CreateXor(ops.bits(left), ops.bits(right)), 0x80000000);
    Value* zero = ops.from_bits(sign, b.getFloatTy());
    result = b.CreateSelect(large, b.CreateFMul(left, zero), result);
  }
  if (instruction.modifiers.ftz) result = ops.flush_tiny_quotient(result, left, right);
  lowering.write(instruction.operands[0], ops.canonical(result));
  return true;
}

/// rcp and rsqrt of an f64 to about 20 bits: hardware reads and writes the upper word alone.
bool emit_double_seed(FunctionLowering& lowering, const Instruction& instruction) {
  const bool root = instruction.opcode == Opcode::rsqrt;
  if (!root && (instruction.opcode != Opcode::rcp || !instruction.modifiers.ftz)) return false;
  llvm::Type* real = lowering.builder().getDoubleTy();
  const char* name = !root                       ? approximation::rcp_seed
                     : instruction.modifiers.ftz ? approximation::rsqrt_seed
                                                 : approximation::rsqrt_f64;
  Value* value = lowering.read(instruction.operands[1], Type::F64);
  lowering.write(instruction.operands[0], lowering.pure_call(name, real, {value}));
  return true;
}

}  // namespace

bool emit_math(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const Opcode opcode = instruction.opcode;
  const Type type = modifiers.type();
  if (opcode == Opcode::div) return emit_quotient(lowering, instruction);
  if (instruction.operands.size() != 2 || modifiers.types.size() != 1) return false;
  const bool quotient = opcode == Opcode::rcp || opcode == Opcode::sqrt;
  if (quotient && !modifiers.approx) return emit_rounded_quotient(lowering, instruction);
  if (type == Type::F64) return emit_double_seed(lowering, instruction);
  if (type == Type::F32) {
    Value* value = lowering.read(instruction.operands[1], type);
    lowering.write(instruction.operands[0], approximate(lowering, instruction, value));
    return true;
  }
  if (opcode != Opcode::ex2 && opcode != Opcode::tanh) return false;
  if (type != Type::F16 && type != Type::BF16 && type != Type::F16x2 && type != Type::BF16x2)
    return false;
  Value* value = lowering.read(instruction.operands[1], type);
  if (!value->getType()->isVectorTy()) {
    lowering.write(instruction.operands[0], approximate_half(lowering, instruction, value));
    return true;
  }
  Value* result = llvm::PoisonValue::get(value->getType());
  for (unsigned part = 0; part < 2; ++part) {
    Value* half = approximate_half(lowering, instruction, b.CreateExtractElement(value, part));
    result = b.CreateInsertElement(result, half, part);
  }
  lowering.write(instruction.operands[0], result);
  return true;
}

}  // namespace pycuda::cpu::lower
