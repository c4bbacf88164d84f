// SPDX-License-Identifier: MIT
#include "cpu/simt/analysis/constant_division.h"

#include <llvm/Analysis/ValueTracking.h>

namespace pycuda::cpu::simt {

llvm::Value* ConstantDivision::quotient(llvm::IRBuilder<>& b, llvm::Value* dividend) const {
  llvm::Value* number = llvm::ConstantInt::get(dividend->getType(), places.value_or(divisor));
  if (places) return is_signed ? b.CreateAShr(dividend, number) : b.CreateLShr(dividend, number);
  return is_signed ? b.CreateSDiv(dividend, number) : b.CreateUDiv(dividend, number);
}

std::optional<ConstantDivision> constant_division(const llvm::BinaryOperator& operation) {
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
  if (!number || number->getBitWidth() > 64 || number->isZero()) return std::nullopt;
  const unsigned bits = number->getBitWidth();
  const llvm::APInt& value = number->getValue();
  const auto power = [&](unsigned places, bool is_signed,
                         bool is_remainder) -> std::optional<ConstantDivision> {
    if (places == 0 || places + 1 >= bits) return std::nullopt;
    return ConstantDivision{is_signed, is_remainder, std::uint64_t{1} << places, places};
  };
  const auto whole = [&](bool is_signed, bool is_remainder) -> std::optional<ConstantDivision> {
    const std::uint64_t divisor = (is_signed ? value.abs() : value).getZExtValue();
    if (divisor < 2) return std::nullopt;
    return ConstantDivision{is_signed, is_remainder, divisor, std::nullopt};
  };
  switch (operation.getOpcode()) {
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
      if (value.uge(bits)) return std::nullopt;
      return power(static_cast<unsigned>(value.getZExtValue()),
                   operation.getOpcode() == llvm::Instruction::AShr, false);
    case llvm::Instruction::And: {
      unsigned first = 0, count = 0;
      if (!value.isShiftedMask(first, count)) return std::nullopt;
      // An index in bytes: the bits below the mask are zero.
      const auto& layout = operation.getDataLayout();
      if (first != 0 &&
          llvm::computeKnownBits(operation.getOperand(0), layout).countMinTrailingZeros() < first)
        return std::nullopt;
      return power(first + count, false, true);
    }
    case llvm::Instruction::UDiv:
      return whole(false, false);
    case llvm::Instruction::SDiv:
      return whole(true, false);
    case llvm::Instruction::URem:
      return whole(false, true);
    case llvm::Instruction::SRem:
      return whole(true, true);
    default:
      return std::nullopt;
  }
}

}  // namespace pycuda::cpu::simt
