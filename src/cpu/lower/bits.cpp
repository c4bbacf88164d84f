// SPDX-License-Identifier: MIT
// Bitwise logic, shifts and counting.
#include <llvm/IR/Intrinsics.h>

#include "cpu/lower/bit_fields.h"
#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Opcode;

bool emit_logic(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const ptx::Type type = instruction.modifiers.type();
  if (!ptx::is_untyped(type) && type != ptx::Type::Pred) return false;
  const bool unary = instruction.opcode == Opcode::not_ || instruction.opcode == Opcode::cnot;
  if (instruction.operands.size() < (unary ? 2u : 3u)) return false;
  Value* left = lowering.read(instruction.operands[1], type);
  Value* right = unary ? nullptr : lowering.read(instruction.operands[2], type);
  Value* result = nullptr;
  switch (instruction.opcode) {
    case Opcode::and_:
      result = b.CreateAnd(left, right);
      break;
    case Opcode::or_:
      result = b.CreateOr(left, right);
      break;
    case Opcode::xor_:
      result = b.CreateXor(left, right);
      break;
    case Opcode::not_:
      result = b.CreateNot(left);
      break;
    default:
      if (type == ptx::Type::Pred) return false;
      result = b.CreateZExt(b.CreateICmpEQ(left, llvm::Constant::getNullValue(left->getType())),
                            left->getType());
  }
  lowering.write(instruction.operands[0], result);
  return true;
}

/// shl and shr: an amount beyond the width shifts everything out.
bool emit_shift(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const ptx::Type type = instruction.modifiers.type();
  const unsigned bits = ptx::bits_of(type);
  if (instruction.operands.size() < 3 || ptx::is_float(type) || bits < 16) return false;
  const bool left = instruction.opcode == Opcode::shl;
  const bool is_signed = ptx::is_signed(type);
  if (left && !ptx::is_untyped(type)) return false;
  Value* value = lowering.read(instruction.operands[1], type);
  Value* amount = lowering.read_bits(instruction.operands[2], 32);
  Value* beyond = b.CreateICmpUGE(amount, b.getInt32(bits));
  Value* inside =
      b.CreateZExtOrTrunc(b.CreateSelect(beyond, b.getInt32(bits - 1), amount), value->getType());
  Value* result = nullptr;
  if (is_signed) {
    result =
        b.CreateAShr(value, inside);  // shifting by width - 1 leaves the sign, as hardware does
  } else {
    result = left ? b.CreateShl(value, inside) : b.CreateLShr(value, inside);
    result = b.CreateSelect(beyond, llvm::Constant::getNullValue(value->getType()), result);
  }
  lowering.write(instruction.operands[0], result, is_signed);
  return true;
}

/// shf: LLVM's funnel shifts wrap as well. Vectors have them as single instructions.
bool emit_funnel_shift(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  if (instruction.operands.size() < 4 || instruction.modifiers.type() != ptx::Type::B32)
    return false;
  const bool left = instruction.modifiers.direction == ptx::Direction::Left;
  if (!left && instruction.modifiers.direction != ptx::Direction::Right) return false;
  Value* low = lowering.read_bits(instruction.operands[1], 32);
  Value* high = lowering.read_bits(instruction.operands[2], 32);
  Value* amount = lowering.read_bits(instruction.operands[3], 32);
  Value* result = b.CreateIntrinsic(left ? llvm::Intrinsic::fshl : llvm::Intrinsic::fshr,
                                    {b.getInt32Ty()}, {high, low, amount});
  if (instruction.modifiers.shift == ptx::ShiftMode::Clamp) {
    Value* beyond = b.CreateICmpUGE(amount, b.getInt32(32));
    result = b.CreateSelect(beyond, left ? low : high, result);
  } else if (instruction.modifiers.shift != ptx::ShiftMode::Wrap) {
    return false;
  }
  lowering.write(instruction.operands[0], result);
  return true;
}

bool emit_count(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const ptx::Type type = instruction.modifiers.type();
  if (instruction.operands.size() < 2 || (type != ptx::Type::B32 && type != ptx::Type::B64))
    return false;
  Value* value = lowering.read(instruction.operands[1], type);
  if (instruction.opcode == Opcode::brev) {
    lowering.write(instruction.operands[0],
                   b.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, value));
    return true;
  }
  Value* count = instruction.opcode == Opcode::popc
                     ? b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, value)
                     : b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, value, b.getFalse());
  lowering.write(instruction.operands[0], b.CreateZExtOrTrunc(count, b.getInt32Ty()));
  return true;
}

/// Any function of three bits, by its truth table; optionally combined with a predicate.
bool emit_lop3(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const auto& operands = instruction.operands;
  if (operands.size() < 5 || operands[4].kind != ptx::Operand::Kind::Integer) return false;
  const std::uint64_t table = operands[4].bits;
  Value* inputs[3];
  for (unsigned i = 0; i < 3; ++i) inputs[i] = lowering.read_bits(operands[i + 1], 32);
  Value* result = b.getInt32(0);
  for (unsigned term = 0; term < 8; ++term) {
    if ((table >> term & 1) == 0) continue;
    Value* product = b.getInt32(~0u);
    for (unsigned i = 0; i < 3; ++i) {
      const bool set = (term >> (2 - i) & 1) != 0;
      product = b.CreateAnd(product, set ? inputs[i] : b.CreateNot(inputs[i]));
    }
    result = b.CreateOr(result, product);
  }
  if (operands[0].kind != ptx::Operand::Kind::Pair) {
    lowering.write(operands[0], result);
    return true;
  }
  if (operands.size() < 6) return false;
  Value* predicate = b.CreateICmpNE(result, b.getInt32(0));
  Value* other = lowering.read(operands[5], ptx::Type::Pred);
  if (instruction.modifiers.bool_op == ptx::BoolOp::And) {
    predicate = b.CreateAnd(predicate, other);
  } else if (instruction.modifiers.bool_op == ptx::BoolOp::Or) {
    predicate = b.CreateOr(predicate, other);
  } else {
    return false;
  }
  lowering.write(operands[0].elements[0], result);
  lowering.write(operands[0].elements[1], predicate);
  return true;
}

}  // namespace

bool emit_bits(FunctionLowering& lowering, const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::not_:
    case Opcode::cnot:
      return emit_logic(lowering, instruction);
    case Opcode::shl:
    case Opcode::shr:
      return emit_shift(lowering, instruction);
    case Opcode::shf:
      return emit_funnel_shift(lowering, instruction);
    case Opcode::brev:
    case Opcode::clz:
    case Opcode::popc:
      return emit_count(lowering, instruction);
    case Opcode::lop3:
      return emit_lop3(lowering, instruction);
    default:
      return emit_bit_field(lowering, instruction);
  }
}

}  // namespace pycuda::cpu::lower
