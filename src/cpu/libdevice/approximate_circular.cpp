// SPDX-License-Identifier: MIT
// Polynomials are minimax fits, those of tan, atan, and of sine and cosine together CUDA's own.
#include "cpu/libdevice/approximate_circular.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace pycuda::cpu::libdevice {
namespace {

using llvm::Value;

/// (atan(t) - t) / t^3 in powers of t^2, to 1.
constexpr double arc_tangent_terms[] = {-0x1.55544ep-2, 0x1.995ec0p-3,  -0x1.223d10p-3,
                                        0x1.aed642p-4,  -0x1.2914f4p-4, 0x1.4672fcp-5,
                                        -0x1.d7c29ep-7, 0x1.412154p-9};
/// (tan(r) - r) / r^3 in powers of r^2, to pi / 4.
constexpr double tangent_terms[] = {0x1.55551p-2, 0x1.112870p-3, 0x1.b6p-5,
                                    0x1.8ep-6,    0x1.acp-9,     0x1.32p-7};
/// (sin(pi r) / r - pi) / r^2 in powers of r^2, to 1 / 2.
constexpr double sine_terms[] = {-0x1.4abbcep+2, 0x1.466ba8p+1, -0x1.32ccb0p-1, 0x1.4f6cd8p-4,
                                 -0x1.bbd54cp-8};
/// cos(pi r) in powers of r^2, to 1 / 4.
constexpr double cosine_terms[] = {1, -0x1.3bd3ccp+2, 0x1.03c1bp+2, -0x1.55b2b6p+0, 0x1.d4f7eep-3};
constexpr double pi = 0x1.921fb6p1, pi_rest = -0x1.777a5cp-24;
/// (sin(r) / r - 1) / r^2 + 1 / 8 in powers of r^2, to pi / 2.
constexpr double wave_terms[] = {-0x1.55553p-5, 0x1.110ed8p-7, -0x1.9f7046p-13, 0x1.5dbc24p-19};
/// CUDA's: (sin(r) / r - 1) / r^2 and cos(r) in powers of r^2, to pi / 4.
constexpr double both_sine_terms[] = {-0x1.55555p-3, 0x1.110bc8p-7, -0x1.9a82a6p-13};
constexpr double both_cosine_terms[] = {1, -0x1.fffffep-2, 0x1.555576p-5, -0x1.6c0fdap-10,
                                        0x1.975800p-16};
/// Of pi / 2; the product of the first with what is counted below `most_reduced` is exact.
constexpr double quarter_parts[] = {0x1.921fb4p+0, 0x1.4442d0p-24, 0x1.84698ap-48};
/// Where CUDA's functions, too, begin to reduce their operand in another way.
constexpr double most_reduced = 105615;

/// |x| less the even number next to it: from -1 to 1.
Value* half_turns(FloatCode& code, Value* x) {
  llvm::IRBuilder<>& b = code.builder();
  Value* turns = b.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven,
                                        b.CreateFMul(code.magnitude(x), code.real(0.5)));
  return code.fma(turns, -2, code.magnitude(x));
}

/// What is left to the next whole number of half turns: up to 1 / 2.
Value* folded_turns(FloatCode& code, Value* a) {
  llvm::IRBuilder<>& b = code.builder();
  return b.CreateSelect(b.CreateFCmpOGT(a, code.real(0.5)), b.CreateFSub(code.real(1), a), a);
}

// From 1 / 4 of a half turn on either is the other one of what is left to 1 / 2, an exact
// difference.

/// cos(pi r) for r up to 1 / 4.
Value* cosine(FloatCode& code, Value* r) {
  return code.polynomial(code.builder().CreateFMul(r, r), cosine_terms);
}

/// sin(pi r) for |r| up to 1 / 4; zeros lose their sign.
Value* sine(FloatCode& code, Value* r) {
  llvm::IRBuilder<>& b = code.builder();
  Value* square = b.CreateFMul(r, r);
  Value* curve = code.fma(square, code.polynomial(square, sine_terms), code.real(pi_rest));
  return code.fma(r, pi, code.fma(r, curve, code.real(0)));
}

/// x - k `quarters` pi / 2.
Value* reduced(FloatCode& code, Value* x, Value* k, double quarters) {
  for (const double part : quarter_parts) x = code.fma(k, -quarters * part, x);
  return x;
}

/// `regular`, or the run time's result where x is large or no number.
Value* unless_large(FloatCode& code, llvm::CallInst& call, Value* regular, const char* function) {
  Value* a = code.magnitude(call.getArgOperand(0));
  Value* beyond = code.builder().CreateFCmpUGE(a, code.real(most_reduced));
  return unless_beyond(code, call, beyond, regular, function);
}

/// sin(r) for |r| up to pi / 2. An eighth of r^2, which is exact, is apart from the polynomial:
/// what that loses by rounding would be half an ulp more.
Value* wave(FloatCode& code, Value* r) {
  llvm::IRBuilder<>& b = code.builder();
  Value* square = b.CreateFMul(r, r);
  Value* eighth = b.CreateFMul(square, code.real(-0.125));
  return code.fma(r, code.fma(square, code.polynomial(square, wave_terms), eighth), r);
}

/// `value` with the sign turned by the lowest bit of `steps` and by that of `sign`.
Value* turned(FloatCode& code, Value* value, Value* steps, Value* sign) {
  llvm::IRBuilder<>& b = code.builder();
  Value* flips = b.CreateXor(b.CreateShl(code.bits(steps), 31), sign);
  return code.from_bits(b.CreateXor(code.bits(value), flips));
}

}  // namespace

Value* unless_beyond(FloatCode& code, llvm::CallInst& call, Value* beyond, Value* regular,
                     const char* function) {
  return unless_beyond(code, call, beyond, {{regular, function}}).front();
}

llvm::SmallVector<Value*, 2> unless_beyond(FloatCode& code, llvm::CallInst& call, Value* beyond,
                                           llvm::ArrayRef<RegularCase> cases) {
  llvm::IRBuilder<>& b = code.builder();
  llvm::BasicBlock* before = call.getParent();
  llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(
      beyond, call.getIterator(), false,
      llvm::MDBuilder(b.getContext()).createUnlikelyBranchWeights());
  llvm::SmallVector<Value*, 2> results;
  for (const RegularCase& one : cases) {
    b.SetInsertPoint(end);
    llvm::FunctionCallee exact =
        call.getModule()->getOrInsertFunction(one.function, call.getFunctionType());
    auto* declared = llvm::cast<llvm::Function>(exact.getCallee());
    declared->copyAttributesFrom(call.getCalledFunction());
    Value* slow = code.canonical(b.CreateCall(exact, {call.getArgOperand(0)}));
    b.SetInsertPoint(call.getParent(), call.getParent()->getFirstNonPHIIt());
    llvm::PHINode* result = b.CreatePHI(b.getFloatTy(), 2);
    result->addIncoming(one.value, before);
    result->addIncoming(slow, end->getParent());
    results.push_back(result);
  }
  b.SetInsertPoint(&call);
  return results;
}

/// |x| is k pi + r: sin(r), its sign turned for odd k.
Value* full_sine(FloatCode& code, llvm::CallInst& call) {
  llvm::IRBuilder<>& b = code.builder();
  Value* x = call.getArgOperand(0);
  Value* a = code.magnitude(x);
  Value* steps = code.fma(a, 0x1.45f306p-2, code.real(round_to_integer));
  Value* k = b.CreateFSub(steps, code.real(round_to_integer));
  Value* result = turned(code, wave(code, reduced(code, a, k, 2)), steps,
                         b.CreateAnd(code.bits(x), 0x80000000));
  return unless_large(code, call, result, "pycuda_cpu_sin_f32");
}

/// |x| is (k + 1 / 2) pi + r: -sin(r), its sign turned for odd k.
Value* full_cosine(FloatCode& code, llvm::CallInst& call) {
  llvm::IRBuilder<>& b = code.builder();
  Value* a = code.magnitude(call.getArgOperand(0));
  Value* steps =
      b.CreateFAdd(code.fma(a, 0x1.45f306p-2, code.real(-0.5)), code.real(round_to_integer));
  Value* k = b.CreateFAdd(b.CreateFSub(steps, code.real(round_to_integer)), code.real(0.5));
  Value* result = turned(code, wave(code, reduced(code, a, k, 2)), steps, b.getInt32(0x80000000));
  return unless_large(code, call, result, "pycuda_cpu_cos_f32");
}

/// x is k pi / 2 + r: the curves of r are exchanged for odd k, and turned for each half turn.
SineAndCosine sine_and_cosine(FloatCode& code, llvm::CallInst& call) {
  llvm::IRBuilder<>& b = code.builder();
  Value* x = call.getArgOperand(0);
  Value* steps =
      b.CreateFAdd(b.CreateFMul(x, code.real(0x1.45f306p-1)), code.real(round_to_integer));
  Value* r = reduced(code, x, b.CreateFSub(steps, code.real(round_to_integer)), 1);
  Value* square = b.CreateFMul(r, r);
  // Of a zero it is one without sign, so that the sum with r has its.
  Value* cube = code.fma(square, r, code.real(0));
  Value* near = code.fma(code.polynomial(square, both_sine_terms), cube, r);
  Value* far = code.polynomial(square, both_cosine_terms);
  Value* count = code.bits(steps);
  Value* odd = b.CreateICmpNE(b.CreateAnd(count, 1), b.getInt32(0));
  const auto turned_by = [&](Value* value, Value* quarters) {
    Value* sign = b.CreateAnd(b.CreateShl(quarters, 30), 0x80000000);
    return code.from_bits(b.CreateXor(code.bits(value), sign));
  };
  Value* sine = turned_by(b.CreateSelect(odd, far, near), count);
  Value* cosine = turned_by(b.CreateSelect(odd, near, far), b.CreateAdd(count, b.getInt32(1)));
  Value* beyond = b.CreateFCmpUGE(code.magnitude(x), code.real(most_reduced));
  const auto both = unless_beyond(code, call, beyond,
                                  {{sine, "pycuda_cpu_sin_f32"}, {cosine, "pycuda_cpu_cos_f32"}});
  return {both[0], both[1]};
}

/// Above 1 it is pi / 2 less that of the reciprocal; pi / 2 is a product, as exact as two numbers.
Value* arc_tangent(FloatCode& code, Value* x) {
  llvm::IRBuilder<>& b = code.builder();
  Value* a = code.magnitude(x);
  Value* large = b.CreateFCmpOGT(a, code.real(1));
  Value* t = b.CreateSelect(large, b.CreateFDiv(code.real(-1), a), a);
  Value* square = b.CreateFMul(t, t);
  Value* cube = b.CreateFMul(t, square);
  Value* result = code.fma(cube, code.polynomial(square, arc_tangent_terms), t);
  Value* beside = code.fma(code.real(0x1.ddcb02p-1), 0x1.aee9d6p+0, result);
  result = b.CreateSelect(large, beside, result);
  result = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x);
  return b.CreateSelect(b.CreateFCmpUNO(x, code.real(0)), code.nan(), result);
}

/// x is k pi / 2 + r: tan(r), or -1 / tan(r) for odd k.
Value* tangent(FloatCode& code, llvm::CallInst& call) {
  llvm::IRBuilder<>& b = code.builder();
  Value* x = call.getArgOperand(0);
  Value* steps = code.fma(x, 0x1.45f306p-1, code.real(round_to_integer));
  Value* r = reduced(code, x, b.CreateFSub(steps, code.real(round_to_integer)), 1);
  Value* square = b.CreateFMul(r, r);
  Value* t = code.fma(b.CreateFMul(square, r), code.polynomial(square, tangent_terms), r);
  Value* odd = b.CreateICmpNE(b.CreateAnd(code.bits(steps), 1), b.getInt32(0));
  Value* result =
      b.CreateFDiv(b.CreateSelect(odd, code.real(-1), t), b.CreateSelect(odd, t, code.real(1)));
  return unless_large(code, call, result, "pycuda_cpu_tan_f32");
}

Value* sine_of_half_turns(FloatCode& code, Value* x) {
  llvm::IRBuilder<>& b = code.builder();
  Value* r = half_turns(code, x);
  Value* folded = folded_turns(code, code.magnitude(r));
  Value* wave = b.CreateSelect(
      code.less(folded, 0.25),
      sine(code, b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, folded, r)),
      b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign,
                              cosine(code, b.CreateFSub(code.real(0.5), folded)), r));
  Value* sign = b.CreateAnd(code.bits(x), 0x80000000);
  return code.canonical(code.from_bits(b.CreateXor(code.bits(wave), sign)));
}

Value* cosine_of_half_turns(FloatCode& code, Value* x) {
  llvm::IRBuilder<>& b = code.builder();
  Value* a = code.magnitude(half_turns(code, x));
  Value* near = b.CreateFSub(code.real(0.5), a);
  Value* folded = folded_turns(code, a);
  Value* wide = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, cosine(code, folded), near);
  return code.canonical(b.CreateSelect(code.less(folded, 0.25), wide, sine(code, near)));
}

}  // namespace pycuda::cpu::libdevice
