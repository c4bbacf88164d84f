// SPDX-License-Identifier: MIT
// Floating-point building blocks that emitters share: NaN rules, flushing, saturation, roundings.
// Each rule stands here once.
//
// What NVIDIA hardware does with NaNs (recorded on an H200, tests/ptx/golden): f32 arithmetic
// answers 0x7fffffff, f16 and bf16 0x7fff; f64 keeps the payload of a NaN operand, made quiet, and
// answers 0xfff8000000000000 for an invalid operation, both as x86 does. Which of several NaN
// operands an f64 operation keeps is up to the assembler's operand order, there as here.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "cpu/ptx/types.h"

namespace pycuda::cpu::lower {

class FunctionLowering;

/// All functions take scalars of type half, bfloat, float or double. Values of the 16-bit types are
/// moved, selected and given signs as integers: LLVM computes with bfloat in float, and the
/// instruction that narrows back flushes subnormals.
class FloatOps {
 public:
  explicit FloatOps(FunctionLowering& lowering);

  llvm::Value* bits(llvm::Value* value);  ///< as iN
  llvm::Value* from_bits(llvm::Value* value, llvm::Type* type);
  llvm::Value* is_nan(llvm::Value* value);
  llvm::Value* sign_bit(llvm::Value* value);  ///< i1
  llvm::Value* absolute(llvm::Value* value);  ///< clears the sign, NaNs too
  llvm::Value* negate(llvm::Value* value);    ///< flips the sign, NaNs too
  llvm::Value* constant(llvm::Type* type, double value);
  llvm::Value* select(llvm::Value* condition, llvm::Value* yes, llvm::Value* no);
  /// The value for a comparison: 16-bit floats as float, exactly.
  llvm::Value* comparable(llvm::Value* value);

  /// Makes NaNs the type's canonical NaN; nothing for f64.
  llvm::Value* canonical(llvm::Value* value);
  /// An f64 NaN made quiet.
  llvm::Value* quiet(llvm::Value* value);

  /// .ftz: a subnormal becomes a zero of its sign.
  llvm::Value* flush(llvm::Value* value);
  /// .ftz of a rounded result: a zero of its sign if the result was too small for a normal number.
  /// What counts, as on hardware, is the result rounded as if exponents had no limit. `exact` is
  /// the result in a wider type.
  llvm::Value* flush_tiny(llvm::Value* result, llvm::Value* exact, ptx::Rounding rounding);
  /// .ftz of `result` = a * b + c rounded to the nearest f32 (c null for a product): a zero of its
  /// sign if the exact sum is too small for a normal number.
  llvm::Value* flush_tiny_sum(llvm::Value* result, llvm::Value* a, llvm::Value* b, llvm::Value* c);
  /// .ftz of `result` = a / b rounded to the nearest f32, by the rule of flush_tiny, which is x86's
  /// too. The only quotients that round up to the least normal number are those of a mantissa of
  /// ones by a power of two; where one is it exactly, the mantissas of `a` and `b` are the same. So
  /// constants that are divided need no such test.
  llvm::Value* flush_tiny_quotient(llvm::Value* result, llvm::Value* a, llvm::Value* b);
  /// .sat: to [0, 1]; NaN becomes 0.
  llvm::Value* saturate(llvm::Value* value);
  /// .relu: negative becomes 0; NaN becomes the canonical one.
  llvm::Value* relu(llvm::Value* value);

  /// .satfinite of a half or bfloat: an infinity becomes the largest number of its sign.
  llvm::Value* finite(llvm::Value* value);

  /// `value` (float or double) in a narrower type. One correct rounding, directed ones too; NaNs
  /// keep their upper payload.
  llvm::Value* narrow(llvm::Value* value, llvm::Type* type, ptx::Rounding rounding);
  /// A half, bfloat or float as double or float: exact.
  llvm::Value* widen(llvm::Value* value, llvm::Type* type);

  /// Results in double that are rounded to odd: rounding them once more, to float or less, gives
  /// what rounding the exact result would. For operands that are exact floats.
  llvm::Value* odd_sum(llvm::Value* a, llvm::Value* b);
  llvm::Value* odd_quotient(llvm::Value* a, llvm::Value* b);
  llvm::Value* odd_root(llvm::Value* a);
  /// An integer as a double: exact, or rounded to odd when it has more than 53 bits.
  llvm::Value* odd_integer(llvm::Value* integer, bool is_signed);

  llvm::Value* fma(llvm::Value* a, llvm::Value* b, llvm::Value* c);
  llvm::Value* intrinsic(llvm::Intrinsic::ID id, llvm::Value* value);

 private:
  /// Moves `value` (odd bits stay) to the neighbour nearer to or farther from zero where `inexact`
  /// holds.
  llvm::Value* make_odd(llvm::Value* value, llvm::Value* inexact, llvm::Value* farther);
  llvm::Value* odd_float(llvm::Value* value);
  llvm::Value* nearest_bfloat(llvm::Value* value);

  llvm::IRBuilder<>& b_;
  FunctionLowering& lowering_;
};

}  // namespace pycuda::cpu::lower
