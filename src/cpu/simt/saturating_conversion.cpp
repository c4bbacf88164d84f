// SPDX-License-Identifier: MIT
#include "cpu/simt/saturating_conversion.h"

#include <algorithm>
#include <cmath>

namespace pycuda::cpu::simt {

llvm::Value* convert_saturating(llvm::IRBuilder<>& b, llvm::Value* value, llvm::Type* integers,
                                bool is_signed) {
  const unsigned bits = integers->getScalarSizeInBits();
  // Processors convert to 32 bits and more; what fits into fewer survives the way over 32.
  llvm::Type* wide = integers->getWithNewBitWidth(std::max(bits, 32u));
  llvm::Value* whole =
      is_signed || bits < 32 ? b.CreateFPToSI(value, wide) : b.CreateFPToUI(value, wide);
  // Out of range the instruction gives poison: any number will do, as a select replaces it.
  llvm::Value* result = b.CreateFreeze(whole);
  if (wide != integers) result = b.CreateTrunc(result, integers);
  const auto limit = [&](double number) { return llvm::ConstantFP::get(value->getType(), number); };
  const auto integer = [&](const llvm::APInt& number) {
    return llvm::ConstantInt::get(integers, number);
  };
  const double above = std::ldexp(1, static_cast<int>(is_signed ? bits - 1 : bits));
  result = b.CreateSelect(
      b.CreateFCmpOGE(value, limit(above)),
      integer(is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits)),
      result);
  result = b.CreateSelect(
      b.CreateFCmpOLT(value, limit(is_signed ? -above : 0)),
      integer(is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits)),
      result);
  return b.CreateSelect(b.CreateFCmpUNO(value, limit(0)), llvm::Constant::getNullValue(integers),
                        result);
}

}  // namespace pycuda::cpu::simt
