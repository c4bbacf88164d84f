// SPDX-License-Identifier: MIT
#include "cpu/libdevice/approximate_quotients.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <limits>

namespace pycuda::cpu::libdevice {
namespace {

using llvm::Value;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Attempt {
  Value* result;
  Value* fails;
};

/// a mod b by a quotient rounded to nearest and then toward zero: at most one too large, if it is
/// an exact number. What is left is exact, as a multiple of the last places of both that is not
/// larger than b.
Value* rest_of_quotient(FloatCode& code, Value* quotient, Value* a, Value* b) {
  llvm::IRBuilder<>& builder = code.builder();
  Value* whole = builder.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, quotient);
  Value* rest = code.fma(builder.CreateFNeg(whole), b, a);
  return builder.CreateSelect(code.less(rest, 0), builder.CreateFAdd(rest, b), rest);
}

/// Fails if the quotient is not below `most`, or an operand has no remainder.
Attempt remainder_by_quotient(FloatCode& code, Value* a, Value* b, double most) {
  llvm::IRBuilder<>& builder = code.builder();
  Value* quotient = builder.CreateFDiv(a, b);
  Value* rest = rest_of_quotient(code, quotient, a, b);
  Value* fits = builder.CreateFCmpOLT(quotient, FloatCode::like(quotient, most));
  fits = builder.CreateAnd(fits, builder.CreateFCmpOLT(b, FloatCode::like(b, infinity)));
  return {rest, builder.CreateNot(fits)};
}

/// a mod b of any f32 as f64: the quotients, up to 2^277, 48 bits at a time.
Value* remainder_by_steps(FloatCode& code, Value* a, Value* b) {
  llvm::IRBuilder<>& builder = code.builder();
  Value* rest = a;
  for (const double scale : {0x1p240, 0x1p192, 0x1p144, 0x1p96, 0x1p48, 1.0}) {
    Value* scaled = builder.CreateFMul(b, FloatCode::like(b, scale));
    rest = rest_of_quotient(code, builder.CreateFDiv(rest, scaled), rest, scaled);
  }
  // What is infinite goes into nothing else.
  Value* kept = builder.CreateAnd(builder.CreateFCmpOEQ(b, FloatCode::like(b, infinity)),
                                  code.less(a, infinity));
  return builder.CreateSelect(kept, a, rest);
}

/// What is behind `condition`, which hardly ever holds.
llvm::Instruction* unlikely(llvm::IRBuilder<>& b, Value* condition, llvm::Instruction* place) {
  return llvm::SplitBlockAndInsertIfThen(
      condition, place->getIterator(), false,
      llvm::MDBuilder(b.getContext()).createUnlikelyBranchWeights());
}

/// `usual`, or `other`, which was computed before `end`.
Value* joined(llvm::IRBuilder<>& b, llvm::Instruction* place, Value* usual,
              llvm::BasicBlock* before, Value* other, llvm::Instruction* end) {
  b.SetInsertPoint(place);
  if (auto* first = llvm::dyn_cast<llvm::PHINode>(&place->getParent()->front()))
    b.SetInsertPoint(first);
  llvm::PHINode* result = b.CreatePHI(usual->getType(), 2);
  result->addIncoming(usual, before);
  result->addIncoming(other, end->getParent());
  b.SetInsertPoint(place);
  return result;
}

}  // namespace

/// Quotients that f32 does not hold are computed as f64, those that neither holds in steps.
Value* remainder(FloatCode& code, llvm::CallInst& call) {
  llvm::IRBuilder<>& b = code.builder();
  Value* x = call.getArgOperand(0);
  Value* y = call.getArgOperand(1);
  const Attempt first = remainder_by_quotient(code, code.magnitude(x), code.magnitude(y), 0x1p22);
  Value* usual = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, first.result, x);
  llvm::BasicBlock* before = call.getParent();
  llvm::Instruction* end = unlikely(b, first.fails, &call);

  b.SetInsertPoint(end);
  Value* wide_x = b.CreateFPExt(code.magnitude(x), b.getDoubleTy());
  Value* wide_y = b.CreateFPExt(code.magnitude(y), b.getDoubleTy());
  const Attempt second = remainder_by_quotient(code, wide_x, wide_y, 0x1p50);
  llvm::BasicBlock* before_steps = end->getParent();
  llvm::Instruction* end_of_steps = unlikely(b, second.fails, end);
  b.SetInsertPoint(end_of_steps);
  Value* stepped = remainder_by_steps(code, wide_x, wide_y);
  Value* other = joined(b, end, second.result, before_steps, stepped, end_of_steps);
  other =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, b.CreateFPTrunc(other, b.getFloatTy()), x);
  return joined(b, &call, usual, before, code.canonical(other), end);
}

/// The sum of the squares, if it is far from both ends of f32; else they are scaled.
Value* length(FloatCode& code, llvm::CallInst& call) {
  constexpr std::uint32_t least = 0x0d800000, most = 0x7e800000;  // 2^-100 and 2^126
  llvm::IRBuilder<>& b = code.builder();
  Value* x = call.getArgOperand(0);
  Value* y = call.getArgOperand(1);
  Value* sum = code.fma(x, x, b.CreateFMul(y, y));
  Value* root = b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, sum);
  Value* outside =
      b.CreateICmpUGE(b.CreateSub(code.bits(sum), b.getInt32(least)), b.getInt32(most - least));
  llvm::BasicBlock* before = call.getParent();
  llvm::Instruction* end = unlikely(b, outside, &call);
  b.SetInsertPoint(end);
  Value* larger = b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, code.bits(code.magnitude(x)),
                                          code.bits(code.magnitude(y)));
  Value* exponent = b.CreateAnd(larger, 0x7e000000);
  Value* down = code.from_bits(b.CreateSub(b.getInt32(0x7e800000), exponent));
  Value* up = code.from_bits(b.CreateOr(exponent, 0x00800000));
  Value* left = b.CreateFMul(x, down);
  Value* right = b.CreateFMul(y, down);
  Value* scaled =
      b.CreateFMul(b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt,
                                          code.fma(left, left, b.CreateFMul(right, right))),
                   up);
  scaled = code.canonical(scaled);
  const auto is_infinite = [&](Value* value) {
    return b.CreateFCmpOEQ(code.magnitude(value), code.real(infinity));
  };
  scaled = b.CreateSelect(b.CreateOr(is_infinite(x), is_infinite(y)), code.real(infinity), scaled);
  return joined(b, &call, root, before, scaled, end);
}

}  // namespace pycuda::cpu::libdevice
