// SPDX-License-Identifier: MIT
// Integer division of gangs: in f64, since processors have no division of integer vectors.
#include "cpu/simt/analysis/constant_division.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {

/// Quotients of numbers of at most 32 bits, in vectors of i32 or less. The quotient of two such
/// numbers, rounded to 53 bits, never crosses an integer: truncation gives the quotient.
llvm::Value* Widener::divide_words(llvm::Value* dividend, llvm::Value* divisor, bool is_signed) {
  llvm::Type* real = llvm::FixedVectorType::get(b_.getDoubleTy(), lanes_);
  const auto as_real = [&](llvm::Value* value) {
    return is_signed ? b_.CreateSIToFP(value, real) : b_.CreateUIToFP(value, real);
  };
  llvm::Value* quotient = b_.CreateFDiv(as_real(dividend), as_real(divisor));
  return is_signed ? b_.CreateFPToSI(quotient, dividend->getType())
                   : b_.CreateFPToUI(quotient, dividend->getType());
}

/// Quotients of unsigned numbers of 64 bits. Each estimate is at most the quotient: the reciprocal
/// is made smaller by more than all roundings can make the estimate larger. The first one is at
/// most 2^15 too small; the second one, of what is then left to divide, at most 1.
llvm::Value* Widener::divide_long(llvm::Value* dividend, llvm::Value* divisor) {
  constexpr double less_than_one = 1 - 0x1p-50;
  llvm::Type* type = dividend->getType();
  llvm::Type* real = llvm::FixedVectorType::get(b_.getDoubleTy(), lanes_);
  llvm::Value* reciprocal =
      b_.CreateFDiv(llvm::ConstantFP::get(real, less_than_one), b_.CreateUIToFP(divisor, real));
  llvm::Value* quotient = nullptr;
  llvm::Value* rest = dividend;
  for (int estimates = 0; estimates < 2; ++estimates) {
    llvm::Value* part =
        b_.CreateFPToUI(b_.CreateFMul(b_.CreateUIToFP(rest, real), reciprocal), type);
    quotient = quotient ? b_.CreateAdd(quotient, part) : part;
    rest = b_.CreateSub(rest, b_.CreateMul(part, divisor));
  }
  llvm::Value* missing = b_.CreateICmpUGE(rest, divisor);
  return b_.CreateAdd(quotient, b_.CreateZExt(missing, type));
}

/// Where lanes divide, whatever inactive ones hold must not matter.
llvm::Value* Widener::emit_division(llvm::BinaryOperator& operation) {
  llvm::Value* dividend = wide(operation.getOperand(0));
  llvm::Value* divisor = wide(operation.getOperand(1));
  llvm::Type* type = dividend->getType();
  llvm::Constant* one = llvm::ConstantInt::get(type, 1);
  // By a constant the processor multiplies.
  if (!divides(operation)) return b_.CreateBinOp(operation.getOpcode(), dividend, divisor);
  if (!is_full(mask_)) {
    dividend = b_.CreateSelect(mask_, dividend, one);
    divisor = b_.CreateSelect(mask_, divisor, one);
  }
  const bool is_signed = operation.getOpcode() == llvm::Instruction::SDiv ||
                         operation.getOpcode() == llvm::Instruction::SRem;
  const bool wants_quotient = operation.getOpcode() == llvm::Instruction::SDiv ||
                              operation.getOpcode() == llvm::Instruction::UDiv;
  const auto result = [&](llvm::Value* quotient) {
    return wants_quotient ? quotient : b_.CreateSub(dividend, b_.CreateMul(quotient, divisor));
  };
  if (operation.getType()->getIntegerBitWidth() <= 32)
    return result(divide_words(dividend, divisor, is_signed));
  const auto is_negative = [&](llvm::Value* value) {
    return b_.CreateICmpSLT(value, llvm::Constant::getNullValue(type));
  };
  llvm::Value *above = dividend, *below = divisor;
  if (is_signed) {
    above = b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, dividend, b_.getFalse());
    below = b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, divisor, b_.getFalse());
  }
  // Most numbers of 64 bits need no more than 32.
  llvm::Type* words = llvm::FixedVectorType::get(b_.getInt32Ty(), lanes_);
  llvm::Value* large = b_.CreateICmpUGT(b_.CreateFreeze(b_.CreateOr(above, below)),
                                        llvm::ConstantInt::get(type, 0xffffffff));
  const auto in_words = [&] {
    return std::vector{b_.CreateZExt(
        divide_words(b_.CreateTrunc(above, words), b_.CreateTrunc(below, words), false), type)};
  };
  const auto in_full = [&] { return std::vector{divide_long(above, below)}; };
  llvm::Value* quotient = either(b_.CreateNot(any(large)), in_words, in_full, nullptr).front();
  if (!is_signed) return result(quotient);
  llvm::Value* turned = b_.CreateXor(is_negative(dividend), is_negative(divisor));
  return result(b_.CreateSelect(turned, b_.CreateNeg(quotient), quotient));
}

}  // namespace pycuda::cpu::simt
