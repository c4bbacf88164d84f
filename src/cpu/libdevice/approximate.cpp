// SPDX-License-Identifier: MIT
// Polynomials and bit operations for ex2, lg2, exp, log, erfc, sin, cos, tanh, rsqrt and the f64
// seeds.
//
// Polynomials are minimax fits with coefficients rounded to f32 one after the other, lowest power
// first.
#include "cpu/libdevice/approximate.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include <limits>
#include <vector>

#include "cpu/libdevice/approximate_circular.h"
#include "cpu/libdevice/approximate_exponentials.h"
#include "cpu/libdevice/approximate_powers.h"
#include "cpu/libdevice/approximate_quotients.h"
#include "cpu/libdevice/float_code.h"
#include "cpu/libdevice/functions_of_doubles.h"
#include "cpu/libdevice/region_fingerprint.h"
#include "cpu/lower/approximations.h"
#include "cpu/lower/callee_name.h"
#include "cpu/lower/processor_flushes.h"
#include "cpu/target/native_operations.h"

namespace pycuda::cpu::libdevice {

namespace approximation = lower::approximation;

namespace {

using llvm::Value;

/// Of logarithms.
enum class Base { E, Two, Ten };

constexpr double smallest_normal = 0x1p-126;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Replaces one call.
class Expansion : private FloatCode {
 public:
  Expansion(llvm::CallInst& call, bool native)
      : FloatCode(call, native),
        call_(call),
        processor_flushes_(lower::processor_flushes(*call.getFunction())) {}

  /// Null when there is no such function.
  Value* emit();

 private:
  Value* power_of_two(Value* x);
  Value* ex2(Value* x, bool ftz);
  Value* exp(Value* x);
  Value* logarithm(Value* x, bool ftz, Base base);
  Value* sum_of_logarithms(Value* f, Value* e, double unit, Base base);
  Value* erfc(Value* x);
  Value* rsqrt(Value* x, bool ftz);
  Value* tanh(Value* x);
  Value* wave(Value* x, bool ftz, bool sine);
  Value* flushed_zero(Value* x, Value* result);
  Value* seed_operand(Value* x);
  Value* seed_result(Value* value);
  Value* root_of_double(Value* x);
  Value* is_tiny();
  Value* is_tiny_in_double();
  Value* flushed_sum();

  llvm::CallInst& call_;
  const bool processor_flushes_;
};

constexpr double exponential_terms[] = {
    1, 1, 0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558b4p-5, 0x1.1239ap-7, 0x1.6a495cp-10};
/// (ln(1 + f) - f) / f^2 for 1 + f in [3/4, 3/2), and (log2(1 + f) - f log2(e)) / f^2 for 1 + f in
/// [sqrt(1/2), sqrt(2)).
constexpr double natural_terms[] = {-0x1p-1,       0x1.5555a4p-2,  -0x1.00004ap-2,
                                    0x1.99699ep-3, -0x1.54ed96p-3, 0x1.28807ap-3,
                                    -0x1.0d98fp-3, 0x1.acf4a8p-4,  -0x1.71e32cp-5};
constexpr double binary_terms[] = {-0x1.71547p-1,  0x1.ec7092p-2,  -0x1.715afcp-2,
                                   0x1.277fdcp-2,  -0x1.eaa454p-3, 0x1.a2b04p-3,
                                   -0x1.87c306p-3, 0x1.7fcc84p-3,  -0x1.c689ep-4};
/// (log10(1 + f) - f log10(e)) / f^2 for 1 + f in [sqrt(1/2), sqrt(2)).
constexpr double decimal_terms[] = {-0x1.bcb7aap-3, 0x1.287a7p-3,   -0x1.bcbf52p-4,
                                    0x1.63d068p-4,  -0x1.276a48p-4, 0x1.f84c1ap-5,
                                    -0x1.d7938ep-5, 0x1.cd07cap-5,  -0x1.108156p-5};
/// exp(x^2) erfc(x) (x + 2) in powers of (x - 2) / (x + 2), for x up to 10.07.
constexpr double erfc_terms[] = {0x1.058672p+0,   -0x1.5fd38cp-1, 0x1.1e2dcp-2,  -0x1.2a7d7ep-5,
                                 -0x1.604b9ep-6,  0x1.a5f2b6p-8,  0x1.8ed826p-9, -0x1.7eeb02p-11,
                                 -0x1.15f304p-11, -0x1.80b72ep-15};
/// (sin(r) - r) / r^3 in powers of r^2, to pi / 2; (tanh(r) - r) / r^3 to 0.6.
constexpr double sine_terms[] = {-0x1.555556p-3, 0x1.111136p-7, -0x1.a023d8p-13, 0x1.72d1ap-19,
                                 -0x1.b6b022p-26};
constexpr double tanh_terms[] = {-0x1.55553ep-2, 0x1.1109bep-3, -0x1.b89abap-5, 0x1.54c3c2p-6,
                                 -0x1.828776p-8};

/// 2^x, for |x| at most 250.
Value* Expansion::power_of_two(Value* x) {
  Value* steps = b_.CreateFAdd(x, real(round_to_integer));
  Value* rest = b_.CreateFSub(x, b_.CreateFSub(steps, real(round_to_integer)));
  return scaled(polynomial(rest, power_terms), steps);
}

Value* Expansion::ex2(Value* x, bool ftz) {
  x = at_most(x, 129);
  // Where the result would be subnormal it is to be zero.
  x = ftz ? b_.CreateSelect(less(x, -126), real(-200), x) : at_least(x, -152);
  return canonical(power_of_two(x));
}

Value* Expansion::exp(Value* x) {
  x = at_least(at_most(x, 89), -105);
  Value* steps = fma(x, 0x1.715476p0, real(round_to_integer));
  Value* whole = b_.CreateFSub(steps, real(round_to_integer));
  Value* rest = fma(whole, 0x1.05c61p-29, fma(whole, -0x1.62e43p-1, x));
  return canonical(scaled(polynomial(rest, exponential_terms), steps));
}

/// x = 2^e m with m near 1: a polynomial of m - 1, plus e. The natural logarithm takes m from where
/// native operations can; for the binary one the sum would lose a bit there.
Value* Expansion::logarithm(Value* x, bool ftz, Base base) {
  const bool natural = base == Base::E;
  if (native_) {
    Value* m = target::call_native(b_, target::NativeOperation::Mantissa, {x});
    Value* e = b_.CreateFSub(target::call_native(b_, target::NativeOperation::Exponent, {x}),
                             target::call_native(b_, target::NativeOperation::Exponent, {m}));
    if (!natural) {
      Value* above = b_.CreateFCmpOGE(m, real(0x1.6a09e6p+0));
      m = b_.CreateSelect(above, b_.CreateFMul(m, real(0.5)), m);
      e = b_.CreateSelect(above, b_.CreateFAdd(e, real(1)), e);
    }
    Value* result = sum_of_logarithms(b_.CreateFSub(m, real(1)), e, 1, base);
    // The exponent's two parts differ in sign.
    if (base == Base::Ten) result = b_.CreateSelect(less(magnitude(e), infinity), result, e);
    result = canonical(result);
    return ftz ? b_.CreateSelect(less(magnitude(x), smallest_normal), real(-infinity), result)
               : result;
  }
  Value* small = less(x, smallest_normal);
  Value* normal = ftz ? x : b_.CreateSelect(small, b_.CreateFMul(x, real(0x1p23)), x);
  Value* raw = bits(normal);
  Value* least = b_.getInt32(natural ? 0x3f400000 : 0x3f3504f3);  // of m
  Value* exponent = b_.CreateAnd(b_.CreateSub(raw, least), 0xff800000);
  Value* f = b_.CreateFSub(from_bits(b_.CreateSub(raw, exponent)), real(1));
  if (!ftz) {
    Value* lifted = b_.CreateSelect(small, b_.getInt32(23u << 23), b_.getInt32(0));
    exponent = b_.CreateSub(exponent, lifted);
  }
  Value* e = b_.CreateSIToFP(exponent, b_.getFloatTy());  // times 2^23
  Value* result = sum_of_logarithms(f, e, 0x1p-23, base);
  result = b_.CreateSelect(b_.CreateFCmpOEQ(x, real(infinity)), real(infinity), result);
  // Negative numbers, then zeros (and, flushed, all that is as small).
  Value* nan = from_bits(b_.getInt32(0x7fffffff));
  Value* zero = ftz ? less(magnitude(x), smallest_normal) : b_.CreateFCmpOEQ(x, real(0));
  result = b_.CreateSelect(b_.CreateFCmpULT(x, real(0)), nan, result);
  return b_.CreateSelect(zero, real(-infinity), result);
}

/// log(1 + f) + log(2) e, where e comes over `unit`.
Value* Expansion::sum_of_logarithms(Value* f, Value* e, double unit, Base base) {
  Value* square = b_.CreateFMul(f, f);
  if (base == Base::E)
    return fma(e, 0x1.62e43p-1 * unit,
               fma(square, polynomial_by_pairs(f, square, natural_terms), f));
  // The factors of f and e in two parts.
  const bool two = base == Base::Two;
  Value* rest =
      fma(square, polynomial(f, two ? llvm::ArrayRef(binary_terms) : llvm::ArrayRef(decimal_terms)),
          b_.CreateFMul(f, real(two ? 0x1.4ae0cp-26 : -0x1.5b235ep-27)));
  Value* sum = fma(f, two ? 0x1.715476p0 : 0x1.bcb7b2p-2, rest);
  if (two) return fma(e, unit, sum);
  return fma(e, 0x1.344136p-2 * unit, fma(e, -0x1.ec10cp-27 * unit, sum));
}

/// exp(-x^2) times a polynomial of t = (x - 2) / (x + 2), over x + 2, for x that is not negative.
/// What x^2, the sum and its reciprocal were rounded by goes into the exponent: relative changes of
/// x + 2 change the quotient about 1.75 times as much.
Value* Expansion::erfc(Value* x) {
  x = at_most(x, 10.5);
  Value* sum = b_.CreateFAdd(x, real(2));
  Value* reciprocal = b_.CreateFDiv(real(1), sum);
  Value* t = fma(reciprocal, -4, real(1));
  Value* lost = b_.CreateFSub(x, b_.CreateFSub(sum, real(2)));
  Value* negative = b_.CreateFNeg(reciprocal);
  Value* off = fma(negative, lost, fma(negative, sum, real(1)));
  Value* quotient = b_.CreateFMul(polynomial(t, erfc_terms), reciprocal);

  Value* square = b_.CreateFMul(x, x);
  Value* square_off = fma(b_.CreateFNeg(x), x, square);
  Value* steps = fma(square, -0x1.715476p0, real(round_to_integer));
  Value* whole = b_.CreateFSub(steps, real(round_to_integer));
  Value* rest = fma(whole, -0x1.62e43p-1, b_.CreateFNeg(square));
  rest = b_.CreateFAdd(fma(whole, 0x1.05c61p-29, rest), square_off);
  rest = fma(off, 1.75, rest);
  // exp(rest) - 1: the product with it and the sum round less than one with exp(rest).
  Value* above_one =
      b_.CreateFMul(rest, polynomial(rest, llvm::ArrayRef(exponential_terms).drop_front()));
  return canonical(scaled(fma(quotient, above_one, quotient), steps));
}

/// A subnormal x is a zero of its sign.
Value* Expansion::flushed_zero(Value* x, Value* result) {
  Value* zero = b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, real(0), x);
  return b_.CreateSelect(less(magnitude(x), smallest_normal), zero, result);
}

Value* Expansion::rsqrt(Value* x, bool ftz) {
  if (ftz)
    x = processor_flushes_ ? b_.CreateUnaryIntrinsic(llvm::Intrinsic::canonicalize, x)
                           : flushed_zero(x, x);
  Value* root = b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
  Value* result = b_.CreateFDiv(real(1), root);
  return canonical(result);
}

Value* Expansion::tanh(Value* x) {
  // From here on the result is 1.
  Value* a = at_most(magnitude(x), 9.5);
  Value* power = power_of_two(b_.CreateFMul(a, real(0x1.715476p1)));
  Value* large = b_.CreateFSub(real(1), b_.CreateFDiv(real(2), b_.CreateFAdd(power, real(1))));
  Value* square = b_.CreateFMul(a, a);
  Value* small = fma(b_.CreateFMul(a, square), polynomial(square, tanh_terms), a);
  Value* result = b_.CreateSelect(less(a, 0.6), small, large);
  if (processor_flushes_) {
    // PTX has no .ftz form.
    Value* subnormal = b_.CreateICmpULT(bits(magnitude(x)), b_.getInt32(0x00800000));
    result = b_.CreateSelect(subnormal, x, result);
  }
  result = b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x);
  return canonical(result);
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
  return unless_beyond(*this, call_, beyond, fast,
                       sine ? "pycuda_cpu_sin_f32" : "pycuda_cpu_cos_f32");
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

/// Rounded toward zero, what is less than a normal number stays less.
Value* Expansion::is_tiny() {
  if (!native_) return is_tiny_in_double();
  constexpr std::uint32_t exponent = 0x7f800000;
  Value* toward_zero =
      target::call_native(b_, target::NativeOperation::SumTowardZero,
                          {call_.getArgOperand(1), call_.getArgOperand(2), call_.getArgOperand(3)});
  return b_.CreateICmpEQ(b_.CreateAnd(bits(toward_zero), exponent), b_.getInt32(0));
}

/// The sign of |a * b + c| - 2^-126, rounded once in f64, is exact: what is less than zero rounds
/// to a negative zero at least.
Value* Expansion::is_tiny_in_double() {
  Value *rounded = call_.getArgOperand(0), *a = call_.getArgOperand(1), *b = call_.getArgOperand(2),
        *c = call_.getArgOperand(3);
  const auto wide = [&](Value* value) { return b_.CreateFPExt(value, b_.getDoubleTy()); };
  Value* negative = b_.CreateICmpSLT(bits(rounded), b_.getInt32(0));
  const auto turned = [&](Value* value) {
    return b_.CreateSelect(negative, b_.CreateFNeg(value), value);
  };
  Value* limit = llvm::ConstantFP::get(b_.getDoubleTy(), -0x1p-126);
  Value* rest = b_.CreateFAdd(turned(wide(c)), limit);
  Value* below = b_.CreateBitCast(fma(turned(wide(a)), wide(b), rest), b_.getInt64Ty());
  return b_.CreateAnd(b_.CreateICmpSLT(below, b_.getInt64(0)), b_.CreateFCmpORD(rounded, real(0)));
}

/// Whether a flushed number is not below zero, NaNs aside: a sum of squares and the like.
bool is_not_negative(const Value* value, unsigned depth = 0) {
  constexpr unsigned deepest = 8;
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(value))
    return number->isZero() || (!number->isNegative() && number->getValueAPF().isNormal());
  const auto* call = llvm::dyn_cast<llvm::CallInst>(value);
  if (call == nullptr || depth == deepest ||
      call->getIntrinsicID() != llvm::Intrinsic::canonicalize)
    return false;
  value = call->getArgOperand(0);
  if (const auto* product = llvm::dyn_cast<llvm::BinaryOperator>(value))
    return product->getOpcode() == llvm::Instruction::FMul &&
           product->getOperand(0) == product->getOperand(1);
  const auto* sum = llvm::dyn_cast<llvm::CallInst>(value);
  return sum != nullptr && sum->getIntrinsicID() == llvm::Intrinsic::fma &&
         sum->getArgOperand(0) == sum->getArgOperand(1) &&
         is_not_negative(sum->getArgOperand(2), depth + 1);
}

/// Whether |a * b + c| cannot be less than the least normal number and yet round to it. Squares are
/// no such products: 2^-126 is the square of a power of two, and what is next below it lies too far
/// away. Factors of at least 1 make nothing smaller.
bool is_never_just_below_normal(const Value* a, const Value* b, const Value* c) {
  const auto is_large = [](const Value* factor) {
    const auto* number = llvm::dyn_cast<llvm::ConstantFP>(factor);
    return number != nullptr && llvm::abs(number->getValueAPF()) >= llvm::APFloat(1.0f);
  };
  const auto* addend = llvm::dyn_cast<llvm::ConstantFP>(c);
  if (addend != nullptr && addend->isZero() && (is_large(a) || is_large(b))) return true;
  return a == b && is_not_negative(c);
}

/// The processor flushes what is tiny once it has been rounded. What is tiny before, and comes out
/// as the least normal number, is zero when it is rounded toward zero.
Value* Expansion::flushed_sum() {
  Value* rounded = call_.getArgOperand(0);
  if (is_never_just_below_normal(call_.getArgOperand(1), call_.getArgOperand(2),
                                 call_.getArgOperand(3)))
    return b_.CreateUnaryIntrinsic(llvm::Intrinsic::canonicalize, rounded);
  if (!native_) {
    Value* zero = b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, real(0), rounded);
    return b_.CreateSelect(is_tiny_in_double(), zero, rounded);
  }
  Value* toward_zero =
      target::call_native(b_, target::NativeOperation::SumTowardZero,
                          {call_.getArgOperand(1), call_.getArgOperand(2), call_.getArgOperand(3)});
  return b_.CreateSelect(b_.CreateFCmpOEQ(toward_zero, real(0)), toward_zero, rounded);
}

Value* Expansion::root_of_double(Value* x) {
  return b_.CreateFDiv(llvm::ConstantFP::get(b_.getDoubleTy(), 1),
                       b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
}

Value* Expansion::emit() {
  llvm::StringRef name = lower::callee_name(call_);
  Value* x = call_.getArgOperand(0);
  if (name == approximation::rcp_seed)
    return seed_result(b_.CreateFDiv(llvm::ConstantFP::get(b_.getDoubleTy(), 1), seed_operand(x)));
  if (name == approximation::rsqrt_seed) return seed_result(root_of_double(seed_operand(x)));
  if (name == approximation::rsqrt_f64) return root_of_double(x);
  if (name == approximation::exp_f64) return exponential_of_double(b_, x, nullptr, native_);
  if (name == approximation::log_f64) return logarithm_of_double(b_, x, native_);
  if (name == approximation::pow_f64)
    return power_of_doubles(b_, x, call_.getArgOperand(1), native_);
  if (name == approximation::atan_f64) return arc_tangent_of_double(b_, x);
  if (name == approximation::tiny_sum) return is_tiny();
  if (name == approximation::flushed_sum) return flushed_sum();
  const bool ftz = name.consume_back(".ftz");
  if (name == approximation::ex2) return ex2(x, ftz);
  if (name == approximation::lg2) return logarithm(x, ftz, Base::Two);
  if (name == approximation::log) return logarithm(x, false, Base::E);
  if (name == approximation::log10) return logarithm(x, false, Base::Ten);
  if (name == approximation::exp) return exp(x);
  if (name == approximation::erfc) return erfc(x);
  if (name == approximation::cbrt) return cube_root(*this, x);
  if (name == approximation::power) return power(*this, call_);
  if (name == approximation::full_sine) return full_sine(*this, call_);
  if (name == approximation::full_cosine) return full_cosine(*this, call_);
  if (name == approximation::tangent) return tangent(*this, call_);
  if (name == approximation::arc_tangent) return arc_tangent(*this, x);
  if (name == approximation::sine_pi) return sine_of_half_turns(*this, x);
  if (name == approximation::cosine_pi) return cosine_of_half_turns(*this, x);
  if (name == approximation::exp10) return power_of_ten(*this, x);
  if (name == approximation::sinh) return hyperbolic_sine(*this, x);
  if (name == approximation::cosh) return hyperbolic_cosine(*this, x);
  if (name == approximation::remainder) return remainder(*this, call_);
  if (name == approximation::hypotenuse) return length(*this, call_);
  if (name == approximation::rsqrt) return rsqrt(x, ftz);
  if (name == approximation::tanh) return tanh(x);
  if (name == approximation::sine || name == approximation::cosine)
    return wave(x, ftz, name == approximation::sine);
  return nullptr;
}

/// Sines and cosines of one angle share what brings it near zero, if the first of them is computed
/// whenever one of the others is.
void expand_together(std::vector<llvm::CallInst*>& calls, bool native) {
  const auto is_sine = [](llvm::CallInst* call) {
    return lower::callee_name(*call) == approximation::full_sine;
  };
  const auto is_either = [&](llvm::CallInst* call) {
    return is_sine(call) || lower::callee_name(*call) == approximation::full_cosine;
  };
  for (std::size_t i = 0; i < calls.size();) {
    llvm::CallInst* first = calls[i++];
    if (!is_either(first)) continue;
    const llvm::DominatorTree dominators(*first->getFunction());
    llvm::SmallVector<llvm::CallInst*, 4> together;
    for (llvm::CallInst* call : calls) {
      if (is_either(call) &&
          bare_value(call->getArgOperand(0)) == bare_value(first->getArgOperand(0)) &&
          (call == first || dominators.dominates(first, call)))
        together.push_back(call);
    }
    if (llvm::all_of(together, is_sine) || llvm::none_of(together, is_sine)) continue;
    FloatCode code(*first, native);
    const SineAndCosine both = sine_and_cosine(code, *first);
    for (llvm::CallInst* call : together)
      call->replaceAllUsesWith(is_sine(call) ? both.sine : both.cosine);
    llvm::erase_if(calls, [&](llvm::CallInst* call) { return llvm::is_contained(together, call); });
    for (llvm::CallInst* call : together) call->eraseFromParent();
    i = 0;
  }
}

}  // namespace

bool is_approximation(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee && callee->isDeclaration() && callee->getName().starts_with(approximation::prefix);
}

void expand_approximations(llvm::Function& function, bool native) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call && is_approximation(*call)) calls.push_back(call);
  }
  expand_together(calls, native);
  for (llvm::CallInst* call : calls) {
    Value* result = Expansion(*call, native).emit();
    if (!result) continue;
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
  }
}

}  // namespace pycuda::cpu::libdevice
