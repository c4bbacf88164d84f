// SPDX-License-Identifier: MIT
// Integer arithmetic: add sub mul mad sad div rem abs neg min max, saturating and packed forms,
// 24-bit and dot products.
#include <llvm/IR/Intrinsics.h>

#include "cpu/lower/arith.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {
namespace {

using llvm::Value;
using ptx::Half;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

Value* extend(llvm::IRBuilder<>& b, Value* value, unsigned bits, bool is_signed) {
  return is_signed ? b.CreateSExt(value, b.getIntNTy(bits))
                   : b.CreateZExt(value, b.getIntNTy(bits));
}

/// The product's upper half, lower half, or all of it in twice the width.
Value* multiply(llvm::IRBuilder<>& b, Value* left, Value* right, Half half, bool is_signed) {
  if (half == Half::Lo || half == Half::None) return b.CreateMul(left, right);
  const unsigned bits = left->getType()->getIntegerBitWidth();
  Value* product =
      b.CreateMul(extend(b, left, 2 * bits, is_signed), extend(b, right, 2 * bits, is_signed));
  if (half == Half::Wide) return product;
  return b.CreateTrunc(b.CreateLShr(product, bits), b.getIntNTy(bits));
}

Value* smaller(llvm::IRBuilder<>& b, Value* left, Value* right, bool is_signed) {
  return b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, left,
                                 right);
}

Value* larger(llvm::IRBuilder<>& b, Value* left, Value* right, bool is_signed) {
  return b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, left,
                                 right);
}

/// Quotient or remainder. By zero the hardware answers all ones, for both; the smallest integer by
/// -1 wraps.
Value* divide(llvm::IRBuilder<>& b, Value* left, Value* right, bool is_signed, bool remainder) {
  llvm::Type* type = left->getType();
  Value* zero = llvm::Constant::getNullValue(type);
  Value* ones = llvm::Constant::getAllOnesValue(type);
  Value* one = llvm::ConstantInt::get(type, 1);
  Value* by_zero = b.CreateICmpEQ(right, zero);
  Value* unsafe = by_zero;
  Value* by_minus_one = nullptr;
  if (is_signed) {
    by_minus_one = b.CreateICmpEQ(right, ones);
    unsafe = b.CreateOr(by_zero, by_minus_one);
  }
  Value* divisor = b.CreateSelect(unsafe, one, right);
  Value* result = remainder
                      ? (is_signed ? b.CreateSRem(left, divisor) : b.CreateURem(left, divisor))
                      : (is_signed ? b.CreateSDiv(left, divisor) : b.CreateUDiv(left, divisor));
  // By 1 instead of -1: the negative quotient is the dividend's, and uniform where quotients are.
  if (is_signed && !remainder) result = b.CreateSelect(by_minus_one, b.CreateNeg(result), result);
  return b.CreateSelect(by_zero, ones, result);
}

/// |a - b| + c, where the difference is taken in the type's own sign.
Value* sum_of_difference(llvm::IRBuilder<>& b, Value* left, Value* right, Value* sum,
                         bool is_signed) {
  Value* difference =
      b.CreateSub(larger(b, left, right, is_signed), smaller(b, left, right, is_signed));
  return b.CreateAdd(difference, sum);
}

}  // namespace

bool emit_int_arith(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const Type type = modifiers.type();
  const bool is_signed = ptx::is_signed(type) || type == Type::S16x2;
  const auto operand = [&](std::size_t index) {
    return lowering.read(instruction.operands[index], type);
  };
  const auto count = instruction.operands.size();
  if (count < 2 || type == Type::None || type == Type::Pred || ptx::is_untyped(type)) return false;
  if (modifiers.sat && type != Type::S32) return false;
  Value* result = nullptr;
  bool sign_extend = is_signed;
  if (count == 2) {
    if (!is_signed) return false;
    Value* value = operand(1);
    if (instruction.opcode == Opcode::neg) {
      result = b.CreateNeg(value);
    } else if (instruction.opcode == Opcode::abs) {
      result = b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value, b.getFalse());
    } else {
      return false;
    }
    lowering.write(instruction.operands[0], result, sign_extend);
    return true;
  }
  Value* left = operand(1);
  Value* right = operand(2);
  switch (instruction.opcode) {
    case Opcode::add:
      result = modifiers.sat ? b.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, left, right)
                             : b.CreateAdd(left, right);
      break;
    case Opcode::sub:
      result = modifiers.sat ? b.CreateBinaryIntrinsic(llvm::Intrinsic::ssub_sat, left, right)
                             : b.CreateSub(left, right);
      break;
    case Opcode::min:
      result = smaller(b, left, right, is_signed);
      break;
    case Opcode::max:
      result = larger(b, left, right, is_signed);
      break;
    case Opcode::div:
      result = divide(b, left, right, is_signed, false);
      break;
    case Opcode::rem:
      result = divide(b, left, right, is_signed, true);
      break;
    case Opcode::mul:
      result = multiply(b, left, right, modifiers.half, is_signed);
      break;
    case Opcode::mad: {
      if (count < 4) return false;
      result = multiply(b, left, right, modifiers.half, is_signed);
      const unsigned bits = result->getType()->getIntegerBitWidth();
      Value* addend = lowering.read_bits(instruction.operands[3], bits);
      if (modifiers.sat && modifiers.half != Half::Hi) return false;
      result = modifiers.sat ? b.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, result, addend)
                             : b.CreateAdd(result, addend);
      break;
    }
    case Opcode::sad:
      if (count < 4) return false;
      result = sum_of_difference(b, left, right, operand(3), is_signed);
      break;
    default:
      return false;
  }
  if (modifiers.relu)
    result = larger(b, result, llvm::Constant::getNullValue(result->getType()), true);
  lowering.write(instruction.operands[0], result, sign_extend);
  return true;
}

bool emit_24_bit(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const bool is_signed = modifiers.type() == Type::S32;
  if (!is_signed && modifiers.type() != Type::U32) return false;
  if (modifiers.half != Half::Lo && modifiers.half != Half::Hi) return false;
  const auto operand = [&](std::size_t index) {
    Value* low =
        b.CreateTrunc(lowering.read_bits(instruction.operands[index], 32), b.getIntNTy(24));
    return extend(b, low, 64, is_signed);
  };
  // The 48-bit product's bits 0..31, or 16..47.
  Value* product = b.CreateMul(operand(1), operand(2));
  if (modifiers.half == Half::Hi) product = b.CreateLShr(product, 16);
  Value* result = b.CreateTrunc(product, b.getInt32Ty());
  if (instruction.opcode == Opcode::mad24) {
    if (instruction.operands.size() < 4) return false;
    Value* addend = lowering.read_bits(instruction.operands[3], 32);
    if (modifiers.sat && (!is_signed || modifiers.half != Half::Hi)) return false;
    result = modifiers.sat ? b.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, result, addend)
                           : b.CreateAdd(result, addend);
  }
  lowering.write(instruction.operands[0], result, is_signed);
  return true;
}

bool emit_dot_product(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (modifiers.types.size() != 2 || instruction.operands.size() < 4) return false;
  const auto valid = [](Type type) { return type == Type::U32 || type == Type::S32; };
  if (!valid(modifiers.types[0]) || !valid(modifiers.types[1])) return false;
  const bool bytes = instruction.opcode == Opcode::dp4a;
  if (!bytes && modifiers.half != Half::Lo && modifiers.half != Half::Hi) return false;
  const unsigned left_bits = bytes ? 8 : 16;
  const unsigned first_byte = !bytes && modifiers.half == Half::Hi ? 2 : 0;
  Value* left = lowering.read_bits(instruction.operands[1], 32);
  Value* right = lowering.read_bits(instruction.operands[2], 32);
  Value* sum = lowering.read_bits(instruction.operands[3], 32);
  const auto part = [&](Value* value, unsigned index, unsigned bits, Type type) {
    Value* field =
        b.CreateTrunc(b.CreateLShr(value, std::uint64_t{index} * bits), b.getIntNTy(bits));
    return extend(b, field, 32, type == Type::S32);
  };
  for (unsigned i = 0; i < (bytes ? 4u : 2u); ++i) {
    Value* product = b.CreateMul(part(left, i, left_bits, modifiers.types[0]),
                                 part(right, first_byte + i, 8, modifiers.types[1]));
    sum = b.CreateAdd(sum, product);
  }
  lowering.write(instruction.operands[0], sum);
  return true;
}

}  // namespace pycuda::cpu::lower
