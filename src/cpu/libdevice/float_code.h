// SPDX-License-Identifier: MIT
// Writes arithmetic of f32 and f64 scalars: what the approximate functions have in common.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/IRBuilder.h>

namespace pycuda::cpu::libdevice {

/// Added to a number below 2^22, its lowest bits are those of the number rounded to an integer.
inline constexpr double round_to_integer = 0x1.8p23;

/// 2^x in powers of x, to 1 / 2.
inline constexpr double power_terms[] = {
    1, 0x1.62e43p-1, 0x1.ebfbdcp-3, 0x1.c6af7ap-5, 0x1.3b2dd2p-7, 0x1.5f0946p-10, 0x1.417a5cp-13};

class FloatCode {
 public:
  using Value = llvm::Value;

  /// Before `place`; `native`: with target/native_operations.h.
  FloatCode(llvm::Instruction& place, bool native) : b_(&place), native_(native) {}

  llvm::IRBuilder<>& builder() { return b_; }
  bool native() const { return native_; }

  // Of f32 and i32.
  Value* real(double value) { return llvm::ConstantFP::get(b_.getFloatTy(), value); }
  Value* bits(Value* value) { return b_.CreateBitCast(value, b_.getInt32Ty()); }
  Value* from_bits(Value* value) { return b_.CreateBitCast(value, b_.getFloatTy()); }
  Value* nan() { return from_bits(b_.getInt32(0x7fffffff)); }
  /// The one NaN for all.
  Value* canonical(Value* value);
  /// `value`, near 1, times 2^n, where `steps` is round_to_integer + n and |n| at most 250.
  Value* scaled(Value* value, Value* steps);

  // Of f32 or f64.
  Value* fma(Value* a, Value* b, Value* c) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
  }
  Value* fma(Value* a, double b, Value* c) { return fma(a, like(a, b), c); }
  Value* magnitude(Value* value) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value); }
  Value* less(Value* a, double b) { return b_.CreateFCmpOLT(a, like(a, b)); }
  static Value* like(Value* other, double value) {
    return llvm::ConstantFP::get(other->getType(), value);
  }
  /// Coefficients from that of x^0 on.
  Value* polynomial(Value* x, llvm::ArrayRef<double> coefficients);
  /// The same for an odd number of coefficients, where the square of x is at hand: as many
  /// operations, half as many of them one after the other.
  Value* polynomial_by_pairs(Value* x, Value* square, llvm::ArrayRef<double> coefficients);
  // Of NaNs the NaN.
  Value* at_least(Value* x, double bound);
  Value* at_most(Value* x, double bound);

 protected:
  llvm::IRBuilder<> b_;
  const bool native_;
};

}  // namespace pycuda::cpu::libdevice
