// SPDX-License-Identifier: MIT
// Numbers are taken apart, x = 2^e m with m near 1. Polynomials are minimax fits.
#include "cpu/libdevice/approximate_powers.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "cpu/target/native_operations.h"

namespace pycuda::cpu::libdevice {
namespace {

using llvm::Value;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// m^(-2/3).
constexpr double root_terms[] = {0x1.ba67p+1,    -0x1.9d7b44p+2, 0x1.dd40ecp+2,
                                 -0x1.3cb4e4p+2, 0x1.c0dce2p+0,  -0x1.07b9bap-2};
/// 2^(-2j/3) for j of -1, 0 and 1.
constexpr double third_terms[] = {1, -0x1.ea35a6p-2, 0x1.bd2812p-4};
/// (2 log2(e) atanh(s) / s - 2 log2(e)) / s^2 in powers of s^2, for |s| up to 0.1716.
constexpr double logarithm_terms[] = {0x1.ec709ep-1, 0x1.2776ep-1, 0x1.a5d044p-2, 0x1.5890b2p-2};
constexpr double twice_log2_e = 0x1.715476p+1, twice_log2_e_rest = 0x1.4ae0cp-25;

struct Parts {
  Value* mantissa;
  Value* exponent;
};

/// Where mantissas begin.
enum class Least : std::uint32_t { ThreeQuarters = 0x3f400000, HalfRoot = 0x3f3504f3 };

/// Of a number that is positive and finite; of others something. Logarithms want a mantissa from
/// sqrt(1/2) to sqrt(2): so that they never are a difference of numbers of a size.
Parts take_apart(FloatCode& code, Value* a, Least least) {
  llvm::IRBuilder<>& b = code.builder();
  if (code.native()) {
    Value* m = target::call_native(b, target::NativeOperation::Mantissa, {a});
    Value* e = b.CreateFSub(target::call_native(b, target::NativeOperation::Exponent, {a}),
                            target::call_native(b, target::NativeOperation::Exponent, {m}));
    if (least == Least::ThreeQuarters) return {m, e};
    Value* above = b.CreateFCmpOGE(m, code.real(0x1.6a09e6p+0));
    return {b.CreateSelect(above, b.CreateFMul(m, code.real(0.5)), m),
            b.CreateSelect(above, b.CreateFAdd(e, code.real(1)), e)};
  }
  Value* small = code.less(a, 0x1p-126);
  Value* raw = code.bits(b.CreateSelect(small, b.CreateFMul(a, code.real(0x1p23)), a));
  Value* exponent =
      b.CreateAnd(b.CreateSub(raw, b.getInt32(static_cast<std::uint32_t>(least))), 0xff800000);
  Value* m = code.from_bits(b.CreateSub(raw, exponent));
  Value* lifted = b.CreateSelect(small, b.getInt32(23), b.getInt32(0));
  Value* e = b.CreateSub(b.CreateAShr(exponent, 23), lifted);
  return {m, b.CreateSIToFP(e, b.getFloatTy())};
}

}  // namespace

/// y is a first root, off by a factor 1 + d, of which y t tells -3 d.
Value* cube_root(FloatCode& code, Value* x) {
  llvm::IRBuilder<>& b = code.builder();
  const auto [m, e] = take_apart(code, code.magnitude(x), Least::ThreeQuarters);
  // e = 3 k + j.
  Value* steps = code.fma(e, 0x1.555556p-2, code.real(round_to_integer));
  Value* k = b.CreateFSub(steps, code.real(round_to_integer));
  Value* j = code.fma(k, -3, e);
  Value* z = code.native()
                 ? target::call_native(b, target::NativeOperation::Scale, {m, j})
                 : b.CreateFMul(m, code.polynomial(j, llvm::ArrayRef<double>({1, 0.75, 0.25})));
  Value* t = b.CreateFMul(code.polynomial(m, root_terms), code.polynomial(j, third_terms));
  Value* y = b.CreateFMul(z, t);
  Value* error = code.fma(b.CreateFNeg(y), b.CreateFMul(y, t), code.real(1));
  Value* root = code.fma(y, b.CreateFMul(error, code.real(0x1.555556p-2)), y);
  root = code.native()
             ? target::call_native(b, target::NativeOperation::Scale, {root, k})
             : code.from_bits(b.CreateAdd(code.bits(root), b.CreateShl(code.bits(steps), 23)));
  root = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, root, x);
  // Zeros and infinities are their own roots.
  root = b.CreateSelect(b.CreateFCmpOEQ(b.CreateFAdd(x, x), x), x, root);
  return b.CreateSelect(b.CreateFCmpUNO(x, code.real(0)), code.nan(), root);
}

namespace {

/// A number as the sum of two, of which the second one is small.
struct Sum {
  Value* high;
  Value* low;
};

/// log2(m) = 2 log2(e) atanh(s) with s = (m - 1) / (m + 1), which comes in two parts as well.
Sum logarithm(FloatCode& code, Value* a) {
  llvm::IRBuilder<>& b = code.builder();
  const auto [m, e] = take_apart(code, a, Least::HalfRoot);
  Value* f = b.CreateFSub(m, code.real(1));
  Value* reciprocal = b.CreateFDiv(code.real(1), b.CreateFAdd(m, code.real(1)));
  Value* s = b.CreateFMul(f, reciprocal);
  // f = s (2 + f): f - 2 s is exact.
  Value* rest = code.fma(b.CreateFNeg(s), f, code.fma(s, -2, f));
  Value* s_low = b.CreateFMul(reciprocal, rest);
  Value* square = b.CreateFMul(s, s);
  Value* curve = b.CreateFMul(code.polynomial(square, logarithm_terms), square);

  Value* high = code.fma(s, twice_log2_e, e);
  Value* low = code.fma(s, twice_log2_e, b.CreateFSub(e, high));
  low = code.fma(s_low, code.fma(curve, 3, code.real(twice_log2_e)), low);
  low = code.fma(s, twice_log2_e_rest, low);
  low = code.fma(curve, s, low);
  Value* sum = b.CreateFAdd(high, low);
  return {sum, b.CreateFSub(low, b.CreateFSub(sum, high))};
}

/// a^y for a that is positive and finite, and finite y.
Value* regular_power(FloatCode& code, Value* a, Value* y) {
  llvm::IRBuilder<>& b = code.builder();
  const Sum log = logarithm(code, a);
  Value* product = b.CreateFMul(log.high, y);
  Value* low = code.fma(log.low, y, code.fma(log.high, y, b.CreateFNeg(product)));
  // Beyond 250 what is left is of no account, but finite.
  Value *whole = nullptr, *steps = nullptr, *rest = nullptr;
  if (code.native()) {
    whole = b.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, product);
    rest = b.CreateFSub(product, whole);
  } else {
    Value* bounded = code.at_least(code.at_most(product, 250), -250);
    steps = b.CreateFAdd(bounded, code.real(round_to_integer));
    rest = b.CreateFSub(bounded, b.CreateFSub(steps, code.real(round_to_integer)));
  }
  rest = b.CreateFAdd(rest, low);
  rest = b.CreateSelect(b.CreateFCmpOGT(rest, code.real(-1)), rest, code.real(-1));
  rest = b.CreateSelect(b.CreateFCmpOLT(rest, code.real(1)), rest, code.real(1));
  Value* result = code.polynomial(rest, power_terms);
  return code.native() ? target::call_native(b, target::NativeOperation::Scale, {result, whole})
                       : code.scaled(result, steps);
}

/// x^y where `regular` is that of |x|, if |x| and y have such a power.
Value* any_power(FloatCode& code, Value* x, Value* y, Value* regular) {
  llvm::IRBuilder<>& b = code.builder();
  Value* a = code.magnitude(x);
  const auto is = [&](Value* value, double number) {
    return b.CreateFCmpOEQ(value, code.real(number));
  };
  const auto infinity_if = [&](Value* condition) {
    return b.CreateSelect(condition, code.real(infinity), code.real(0));
  };
  Value* half = b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, b.CreateFMul(y, code.real(0.5)));
  Value* odd = is(code.magnitude(code.fma(half, -2, y)), 1);
  Value* whole = b.CreateFCmpOEQ(b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, y), y);
  Value* rises = b.CreateFCmpOGT(y, code.real(0));
  Value* large = b.CreateFCmpOGT(a, code.real(1));

  Value* to_infinity =
      b.CreateSelect(is(a, 1), code.real(1), infinity_if(b.CreateICmpEQ(large, rises)));
  Value* result = b.CreateSelect(is(code.magnitude(y), infinity), to_infinity, regular);
  result = b.CreateSelect(b.CreateOr(is(a, 0), is(a, infinity)),
                          infinity_if(b.CreateICmpEQ(large, rises)), result);
  Value* sign = b.CreateAnd(code.bits(x), 0x80000000);
  sign = b.CreateSelect(odd, sign, b.getInt32(0));
  result = code.from_bits(b.CreateXor(code.bits(result), sign));
  Value* complex =
      b.CreateAnd(b.CreateFCmpOLT(x, code.real(0)), b.CreateFCmpOGT(x, code.real(-infinity)));
  result = b.CreateSelect(b.CreateAnd(complex, b.CreateNot(whole)), code.nan(), result);
  result = b.CreateSelect(b.CreateFCmpUNO(x, y), code.nan(), result);
  return b.CreateSelect(b.CreateOr(is(x, 1), is(y, 0)), code.real(1), result);
}

}  // namespace

Value* power(FloatCode& code, llvm::CallInst& call) {
  llvm::IRBuilder<>& b = code.builder();
  Value* x = call.getArgOperand(0);
  Value* y = call.getArgOperand(1);
  Value* regular = regular_power(code, code.magnitude(x), y);
  Value* positive =
      b.CreateICmpULT(b.CreateSub(code.bits(x), b.getInt32(1)), b.getInt32(0x7f7fffff));
  Value* finite = b.CreateICmpULT(b.CreateAnd(code.bits(y), 0x7fffffff), b.getInt32(0x7f800000));
  llvm::BasicBlock* before = call.getParent();
  llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(
      b.CreateNot(b.CreateAnd(positive, finite)), call.getIterator(), false,
      llvm::MDBuilder(b.getContext()).createUnlikelyBranchWeights());
  b.SetInsertPoint(end);
  Value* special = any_power(code, x, y, regular);
  b.SetInsertPoint(&call);
  llvm::PHINode* result = b.CreatePHI(b.getFloatTy(), 2);
  result->addIncoming(regular, before);
  result->addIncoming(special, end->getParent());
  return result;
}

}  // namespace pycuda::cpu::libdevice
