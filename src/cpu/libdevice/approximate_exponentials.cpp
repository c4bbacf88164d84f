// SPDX-License-Identifier: MIT
// Polynomials are minimax fits.
#include "cpu/libdevice/approximate_exponentials.h"

namespace pycuda::cpu::libdevice {
namespace {

using llvm::Value;

/// 10^r, to log10(2) / 2.
constexpr double ten_terms[] = {1,           0x1.26bb1cp+1, 0x1.53524ap+1, 0x1.046f9cp+1,
                                0x1.2bdap+0, 0x1.156a4ep-1, 0x1.a63adap-3};
/// (sinh(r) - r) / r^3 and (cosh(r) - 1) / r^2 in powers of r^2, to ln(2): where n ends
/// r goes on.
constexpr double sine_terms[] = {0x1.555556p-3, 0x1.11108cp-7, 0x1.a08e4ep-13, 0x1.54bdccp-19};
constexpr double cosine_terms[] = {0x1p-1, 0x1.55555ap-5, 0x1.6c10cp-10, 0x1.a4d086p-16};

/// |x| = n ln(2) + r: of n ln(2) and of r.
struct Hyperbolic {
  Value *whole_sine, *whole_cosine;
  Value *sine, *cosine_rest;  ///< cosine_rest: cosh(r) - 1
};

/// Those of n ln(2) are sums of two powers of two. n ends where the larger one would overflow.
Hyperbolic hyperbolic(FloatCode& code, Value* x) {
  constexpr double most = 90, most_steps = 128;
  constexpr std::uint32_t half = 0x3f000000;
  llvm::IRBuilder<>& b = code.builder();
  Value* a = code.at_most(code.magnitude(x), most);
  Value* steps = code.fma(a, 0x1.715476p0, code.real(round_to_integer));
  steps = code.at_most(steps, round_to_integer + most_steps);
  Value* n = b.CreateFSub(steps, code.real(round_to_integer));
  Value* r = code.fma(n, 0x1.05c61p-29, code.fma(n, -0x1.62e43p-1, a));
  Value* exponent = b.CreateShl(code.bits(steps), 23);
  Value* large = code.from_bits(b.CreateAdd(exponent, b.getInt32(half)));
  Value* small = code.from_bits(b.CreateBinaryIntrinsic(
      llvm::Intrinsic::smax, b.CreateSub(b.getInt32(half), exponent), b.getInt32(0)));
  Value* square = b.CreateFMul(r, r);
  return {b.CreateFSub(large, small), b.CreateFAdd(large, small),
          code.fma(b.CreateFMul(r, square), code.polynomial(square, sine_terms), r),
          b.CreateFMul(square, code.polynomial(square, cosine_terms))};
}

}  // namespace

Value* power_of_ten(FloatCode& code, Value* x) {
  llvm::IRBuilder<>& b = code.builder();
  x = code.at_least(code.at_most(x, 39), -46);
  Value* steps = code.fma(x, 0x1.a934fp+1, code.real(round_to_integer));
  Value* whole = b.CreateFSub(steps, code.real(round_to_integer));
  Value* rest = code.fma(whole, 0x1.ec10cp-27, code.fma(whole, -0x1.344136p-2, x));
  return code.canonical(code.scaled(code.polynomial(rest, ten_terms), steps));
}

/// sinh(p + r) = sinh(p) + (sinh(p) (cosh(r) - 1) + cosh(p) sinh(r)).
Value* hyperbolic_sine(FloatCode& code, Value* x) {
  llvm::IRBuilder<>& b = code.builder();
  const Hyperbolic h = hyperbolic(code, x);
  Value* rest = code.fma(h.cosine_rest, h.whole_sine, b.CreateFMul(h.sine, h.whole_cosine));
  Value* result = b.CreateFAdd(h.whole_sine, rest);
  return code.canonical(b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x));
}

Value* hyperbolic_cosine(FloatCode& code, Value* x) {
  llvm::IRBuilder<>& b = code.builder();
  const Hyperbolic h = hyperbolic(code, x);
  Value* rest = code.fma(h.cosine_rest, h.whole_cosine, b.CreateFMul(h.sine, h.whole_sine));
  return code.canonical(b.CreateFAdd(h.whole_cosine, rest));
}

}  // namespace pycuda::cpu::libdevice
