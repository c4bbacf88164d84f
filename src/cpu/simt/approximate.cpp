// SPDX-License-Identifier: MIT
// Polynomials and bit operations for ex2, lg2, exp, log, sin, cos, tanh, rsqrt and the f64 seeds.
//
// Polynomials are minimax fits with coefficients rounded to f32 one after the other, lowest power
// first.
#include "cpu/simt/approximate.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <limits>
#include <vector>

#include "cpu/lower/approximations.h"

namespace pycuda::cpu::simt {

namespace approximation = lower::approximation;

namespace {

using llvm::Value;

constexpr double smallest_normal = 0x1p-126;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Replaces one call.
class Expansion {
 public:
  explicit Expansion(llvm::CallInst& call) : call_(call), b_(&call) {}

  /// Null when there is no such function.
  Value* emit();

 private:
  // Of f32 and i32.
  Value* real(double value) { return llvm::ConstantFP::get(b_.getFloatTy(), value); }
  Value* bits(Value* value) { return b_.CreateBitCast(value, b_.getInt32Ty()); }
  Value* from_bits(Value* value) { return b_.CreateBitCast(value, b_.getFloatTy()); }
  Value* fma(Value* a, Value* b, Value* c) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
  }
  Value* fma(Value* a, double b, Value* c) { return fma(a, real(b), c); }
  Value* magnitude(Value* value) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value); }
  Value* less(Value* a, double b) { return b_.CreateFCmpOLT(a, real(b)); }
  Value* polynomial(Value* x, llvm::ArrayRef<double> coefficients);
  Value* canonical(Value* value, Value* operand);
  Value* scaled(Value* value, Value* steps, Value* low);
  Value* power_of_two(Value* x);

  Value* ex2(Value* x, bool ftz);
  Value* exp(Value* x);
  Value* logarithm(Value* x, bool ftz, bool natural);
  Value* rsqrt(Value* x, bool ftz);
  Value* tanh(Value* x);
  Value* wave(Value* x, bool ftz, bool sine);
  Value* flushed_zero(Value* x, Value* result);
  Value* seed_operand(Value* x);
  Value* seed_result(Value* value);
  Value* root_of_double(Value* x);

  llvm::CallInst& call_;
  llvm::IRBuilder<> b_;
};

/// Added to a number below 2^22, its lowest bits are those of the number rounded to an integer.
constexpr double round_to_integer = 0x1.8p23;

constexpr double power_terms[] = {
    1, 0x1.62e43p-1, 0x1.ebfbdcp-3, 0x1.c6af7ap-5, 0x1.3b2dd2p-7, 0x1.5f0946p-10, 0x1.417a5cp-13};
constexpr double exponential_terms[] = {
    1, 1, 0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558b4p-5, 0x1.1239ap-7, 0x1.6a495cp-10};
/// (ln(1 + f) - f) / f^2 and (log2(1 + f) - f log2(e)) / f^2 for 1 + f in [sqrt(1/2), sqrt(2)).
constexpr double natural_terms[] = {-0x1.fffff8p-2, 0x1.55555p-2,   -0x1.00043p-2,
                                    0x1.99a3dcp-3,  -0x1.5425f6p-3, 0x1.2274bep-3,
                                    -0x1.0f45fp-3,  0x1.08325p-3,   -0x1.37ac8ap-4};
constexpr double binary_terms[] = {-0x1.71547p-1,  0x1.ec7092p-2,  -0x1.715afcp-2,
                                   0x1.277fdcp-2,  -0x1.eaa454p-3, 0x1.a2b04p-3,
                                   -0x1.87c306p-3, 0x1.7fcc84p-3,  -0x1.c689ep-4};
/// (sin(r) - r) / r^3 in powers of r^2, to pi / 2; (tanh(r) - r) / r^3 to 0.6.
constexpr double sine_terms[] = {-0x1.555556p-3, 0x1.111136p-7, -0x1.a023d8p-13, 0x1.72d1ap-19,
                                 -0x1.b6b022p-26};
constexpr double tanh_terms[] = {-0x1.55553ep-2, 0x1.1109bep-3, -0x1.b89abap-5, 0x1.54c3c2p-6,
                                 -0x1.828776p-8};

Value* Expansion::polynomial(Value* x, llvm::ArrayRef<double> coefficients) {
  Value* sum = real(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, real(coefficient));
  return sum;
}

Value* Expansion::canonical(Value* value, Value* operand) {
  return b_.CreateSelect(b_.CreateFCmpUNO(operand, real(0)), from_bits(b_.getInt32(0x7fffffff)),
                         value);
}

/// `value`, near 1, times 2^n, where `steps` is round_to_integer + n. With `low`, a product that
/// may be subnormal where `low` holds.
Value* Expansion::scaled(Value* value, Value* steps, Value* low) {
  Value* sum = b_.CreateAdd(bits(value), b_.CreateShl(bits(steps), 23));
  if (!low) return from_bits(sum);
  Value* lift = b_.CreateSelect(low, b_.getInt32(64u << 23), b_.getInt32(0));
  Value* drop = b_.CreateSelect(low, real(0x1p-64), real(1));
  return b_.CreateFMul(from_bits(b_.CreateAdd(sum, lift)), drop);
}

/// 2^x where it is a normal number; anything elsewhere.
Value* Expansion::power_of_two(Value* x) {
  Value* steps = b_.CreateFAdd(x, real(round_to_integer));
  Value* rest = b_.CreateFSub(x, b_.CreateFSub(steps, real(round_to_integer)));
  return scaled(polynomial(rest, power_terms), steps, nullptr);
}

Value* Expansion::ex2(Value* x, bool ftz) {
  Value* result = nullptr;
  if (ftz) {
    result = b_.CreateSelect(less(x, -126), real(0), power_of_two(x));
  } else {
    Value* steps = b_.CreateFAdd(x, real(round_to_integer));
    Value* rest = b_.CreateFSub(x, b_.CreateFSub(steps, real(round_to_integer)));
    result = scaled(polynomial(rest, power_terms), steps, less(x, -126));
    result = b_.CreateSelect(less(x, -151), real(0), result);
  }
  result = b_.CreateSelect(b_.CreateFCmpOGE(x, real(128)), real(infinity), result);
  return canonical(result, x);
}

Value* Expansion::exp(Value* x) {
  Value* steps = fma(x, 0x1.715476p0, real(round_to_integer));
  Value* whole = b_.CreateFSub(steps, real(round_to_integer));
  Value* rest = fma(whole, 0x1.05c61p-29, fma(whole, -0x1.62e43p-1, x));
  // Below the first bound the result may be subnormal, beyond the others it is zero or infinite.
  Value* result = scaled(polynomial(rest, exponential_terms), steps, less(x, -86));
  result = b_.CreateSelect(less(x, -104), real(0), result);
  result = b_.CreateSelect(b_.CreateFCmpOGT(x, real(0x1.62e42ep6)), real(infinity), result);
  return canonical(result, x);
}

/// x = 2^e m with m near 1: a polynomial of m - 1, plus e.
Value* Expansion::logarithm(Value* x, bool ftz, bool natural) {
  Value* small = less(x, smallest_normal);
  Value* normal = ftz ? x : b_.CreateSelect(small, b_.CreateFMul(x, real(0x1p23)), x);
  Value* raw = bits(normal);
  Value* exponent = b_.CreateAnd(b_.CreateSub(raw, b_.getInt32(0x3f3504f3)), 0xff800000);
  Value* f = b_.CreateFSub(from_bits(b_.CreateSub(raw, exponent)), real(1));
  if (!ftz) {
    Value* lifted = b_.CreateSelect(small, b_.getInt32(23u << 23), b_.getInt32(0));
    exponent = b_.CreateSub(exponent, lifted);
  }
  Value* e = b_.CreateSIToFP(exponent, b_.getFloatTy());  // times 2^23
  Value* square = b_.CreateFMul(f, f);
  Value* result = nullptr;
  if (natural) {
    Value* rest = fma(square, polynomial(f, natural_terms), f);
    result = fma(e, 0x1.62e43p-24, rest);
  } else {
    Value* rest = fma(square, polynomial(f, binary_terms), b_.CreateFMul(f, real(0x1.4ae0cp-26)));
    result = fma(e, 0x1p-23, fma(f, 0x1.715476p0, rest));
  }
  result = b_.CreateSelect(b_.CreateFCmpOEQ(x, real(infinity)), real(infinity), result);
  // Negative numbers, then zeros (and, flushed, all that is as small).
  Value* nan = from_bits(b_.getInt32(0x7fffffff));
  Value* zero = ftz ? less(magnitude(x), smallest_normal) : b_.CreateFCmpOEQ(x, real(0));
  result = b_.CreateSelect(b_.CreateFCmpULT(x, real(0)), nan, result);
  return b_.CreateSelect(zero, real(-infinity), result);
}

/// A subnormal x is a zero of its sign.
Value* Expansion::flushed_zero(Value* x, Value* result) {
  Value* zero = b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, real(0), x);
  return b_.CreateSelect(less(magnitude(x), smallest_normal), zero, result);
}

Value* Expansion::rsqrt(Value* x, bool ftz) {
  if (ftz) x = flushed_zero(x, x);
  Value* root = b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
  Value* result = b_.CreateFDiv(real(1), root);
  return canonical(result, result);
}

Value* Expansion::tanh(Value* x) {
  Value* a = magnitude(x);
  Value* power = power_of_two(b_.CreateFMul(a, real(0x1.715476p1)));
  Value* large = b_.CreateFSub(real(1), b_.CreateFDiv(real(2), b_.CreateFAdd(power, real(1))));
  large = b_.CreateSelect(less(a, 9.5), large, real(1));
  Value* square = b_.CreateFMul(a, a);
  Value* small = fma(b_.CreateFMul(a, square), polynomial(square, tanh_terms), a);
  Value* result = b_.CreateSelect(less(a, 0.6), small, large);
  result = b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x);
  return canonical(result, x);
}

/// |x| is k pi + r (cosine: (k + 1/2) pi + r): sin(r), its sign turned for odd k.
Value* Expansion::wave(Value* x, bool ftz, bool sine) {
  constexpr double most = 0x1p17;
  constexpr double inverse_pi = 0x1.45f306p-2;
  constexpr double pi = 0x1.921fb6p1, pi_rest = -0x1.777a5cp-24;
  Value* a = magnitude(x);
  Value* steps = nullptr;
  Value* k = nullptr;
  if (sine) {
    steps = fma(a, inverse_pi, real(round_to_integer));
    k = b_.CreateFSub(steps, real(round_to_integer));
  } else {
    steps = b_.CreateFAdd(fma(a, inverse_pi, real(-0.5)), real(round_to_integer));
    k = b_.CreateFAdd(b_.CreateFSub(steps, real(round_to_integer)), real(0.5));
  }
  Value* r = fma(k, -pi_rest, fma(k, -pi, a));
  Value* square = b_.CreateFMul(r, r);
  Value* fast = fma(b_.CreateFMul(r, square), polynomial(square, sine_terms), r);
  Value* turned = b_.CreateShl(bits(steps), 31);
  Value* sign = sine ? b_.CreateXor(turned, b_.CreateAnd(bits(x), 0x80000000))
                     : b_.CreateXor(turned, 0x80000000);
  fast = from_bits(b_.CreateXor(bits(fast), sign));
  if (sine && ftz) fast = flushed_zero(x, fast);
  Value* beyond = b_.CreateFCmpUGT(a, real(most));
  llvm::BasicBlock* before = call_.getParent();
  llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(
      beyond, call_.getIterator(), false,
      llvm::MDBuilder(b_.getContext()).createUnlikelyBranchWeights());
  b_.SetInsertPoint(end);
  llvm::FunctionCallee exact = call_.getModule()->getOrInsertFunction(
      sine ? "pycuda_cpu_sin_f32" : "pycuda_cpu_cos_f32", call_.getFunctionType());
  auto* declared = llvm::cast<llvm::Function>(exact.getCallee());
  declared->copyAttributesFrom(call_.getCalledFunction());
  Value* slow = b_.CreateCall(exact, {x});
  slow = canonical(slow, slow);
  b_.SetInsertPoint(&call_);
  llvm::PHINode* result = b_.CreatePHI(b_.getFloatTy(), 2);
  result->addIncoming(fast, before);
  result->addIncoming(slow, end->getParent());
  return result;
}

/// The upper word, subnormals flushed.
Value* Expansion::seed_operand(Value* x) {
  Value* upper = b_.CreateAnd(b_.CreateBitCast(x, b_.getInt64Ty()), 0xffffffff00000000);
  Value* small = b_.CreateICmpEQ(b_.CreateAnd(upper, 0x7ff0000000000000), b_.getInt64(0));
  Value* zero = b_.CreateAnd(upper, 0x8000000000000000);
  return b_.CreateBitCast(b_.CreateSelect(small, zero, upper), b_.getDoubleTy());
}

/// Rounded to the upper word, subnormals flushed, NaNs as hardware writes them.
Value* Expansion::seed_result(Value* value) {
  Value* raw = b_.CreateBitCast(value, b_.getInt64Ty());
  Value* exponent = b_.CreateAnd(raw, 0x7ff0000000000000);
  Value* finite = b_.CreateICmpNE(exponent, b_.getInt64(0x7ff0000000000000));
  Value* rounded =
      b_.CreateAdd(raw, b_.CreateSelect(finite, b_.getInt64(0x80000000), b_.getInt64(0)));
  Value* upper = b_.CreateAnd(rounded, 0xffffffff00000000);
  Value* small = b_.CreateICmpEQ(b_.CreateAnd(upper, 0x7ff0000000000000), b_.getInt64(0));
  upper = b_.CreateSelect(small, b_.CreateAnd(upper, 0x8000000000000000), upper);
  Value* nan = b_.CreateFCmpUNO(value, llvm::ConstantFP::get(b_.getDoubleTy(), 0));
  upper = b_.CreateSelect(nan, b_.getInt64(0x7fffffff00000000), upper);
  return b_.CreateBitCast(upper, b_.getDoubleTy());
}

Value* Expansion::root_of_double(Value* x) {
  return b_.CreateFDiv(llvm::ConstantFP::get(b_.getDoubleTy(), 1),
                       b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
}

Value* Expansion::emit() {
  llvm::StringRef name = call_.getCalledFunction()->getName();
  Value* x = call_.getArgOperand(0);
  if (name == approximation::rcp_seed)
    return seed_result(b_.CreateFDiv(llvm::ConstantFP::get(b_.getDoubleTy(), 1), seed_operand(x)));
  if (name == approximation::rsqrt_seed) return seed_result(root_of_double(seed_operand(x)));
  if (name == approximation::rsqrt_f64) return root_of_double(x);
  const bool ftz = name.consume_back(".ftz");
  if (name == approximation::ex2) return ex2(x, ftz);
  if (name == approximation::lg2) return logarithm(x, ftz, false);
  if (name == approximation::log) return logarithm(x, false, true);
  if (name == approximation::exp) return exp(x);
  if (name == approximation::rsqrt) return rsqrt(x, ftz);
  if (name == approximation::tanh) return tanh(x);
  if (name == approximation::sine || name == approximation::cosine)
    return wave(x, ftz, name == approximation::sine);
  return nullptr;
}

}  // namespace

bool is_approximation(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee && callee->isDeclaration() && callee->getName().starts_with(approximation::prefix);
}

void expand_approximations(llvm::Function& function) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call && is_approximation(*call)) calls.push_back(call);
  }
  for (llvm::CallInst* call : calls) {
    Value* result = Expansion(*call).emit();
    if (!result) continue;
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
  }
}

}  // namespace pycuda::cpu::simt
