// SPDX-License-Identifier: MIT
// Polynomials are minimax fits with coefficients rounded to f64 one after the other, lowest power
// first.
#include "cpu/libdevice/functions_of_doubles.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include <array>
#include <limits>
#include <utility>

#include "cpu/target/native_operations.h"

namespace pycuda::cpu::libdevice {
namespace {

using llvm::Value;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double log2_e = 0x1.71547652b82fep0;
constexpr double ln2 = 0x1.62e42fefa39efp-1, ln2_rest = 0x1.abc9e3b39803fp-56;

/// (log((1 + s) / (1 - s)) - 2 s) / s^3 in powers of s^2, to s = 1 / 5.
constexpr double logarithm_terms[] = {
    0x1.555555555554fp-1, 0x1.999999999c187p-2, 0x1.24924921e32f1p-2, 0x1.c71c7490da1c1p-3,
    0x1.745c4a95fb20dp-3, 0x1.3b35c9f0d4c2ap-3, 0x1.0dcaf90deb1b7p-3, 0x1.1b85c6d19a01p-3};
/// As CUDA has them.
constexpr double exponential_terms[] = {1,
                                        1,
                                        0x1.000000000000bp-1,
                                        0x1.5555555555511p-3,
                                        0x1.55555555502a1p-5,
                                        0x1.1111111122322p-7,
                                        0x1.6c16c1852b7afp-10,
                                        0x1.a01a014761f65p-13,
                                        0x1.a01997c89eb71p-16,
                                        0x1.71dee62401315p-19,
                                        0x1.28af3fca213eap-22,
                                        0x1.ade1569ce2bdfp-26};
/// (atan(t) - t) / t^3 in powers of t^2, to tan(pi / 8).
constexpr double arc_tangent_terms[] = {
    -0x1.555555555553dp-2, 0x1.999999999589bp-3, -0x1.24924922af0ep-3,  0x1.c71c70e6cb51ap-4,
    -0x1.745cf8f2630fep-4, 0x1.3b111aa8c4832p-4, -0x1.10ebca059a94bp-4, 0x1.df10504637709p-5,
    -0x1.9cd76bbb26ce4p-5, 0x1.37e1e65846884p-5, -0x1.2586554b3d4d8p-6};

/// Of 1 + i / 16 to 1 + (i + 1) / 16: factors that bring them near 1, multiples of 1 / 32, and the
/// negatives of their logarithms, of which the first part is a multiple of 2^-42.
using Table = std::array<double, 16>;
constexpr Table factors = {0x20p-5, 0x1dp-5, 0x1cp-5, 0x1ap-5, 0x19p-5, 0x18p-5, 0x17p-5, 0x16p-5,
                           0x15p-5, 0x14p-5, 0x13p-5, 0x13p-5, 0x12p-5, 0x11p-5, 0x11p-5, 0x10p-5};
constexpr Table logarithms = {0,
                              0x1.9335e5d594p-4,
                              0x1.1178e8227ep-3,
                              0x1.a93ed3c8aep-3,
                              0x1.f991c6cb3cp-3,
                              0x1.269621134ep-2,
                              0x1.522ae0738ap-2,
                              0x1.7fafa3bd81p-2,
                              0x1.af5295248dp-2,
                              0x1.e148a1a272p-2,
                              0x1.0ae76e2d058p-1,
                              0x1.0ae76e2d058p-1,
                              0x1.269621134d8p-1,
                              0x1.43d9ff2f92p-1,
                              0x1.43d9ff2f92p-1,
                              0x1.62e42fefa38p-1};
constexpr Table logarithm_rests = {0,
                                   0x1.3115c3abd47dap-45,
                                   0x1.1ef78ce2d07f2p-45,
                                   -0x1.8724350562169p-45,
                                   -0x1.90d04cd7cc834p-44,
                                   -0x1.1b61f10522625p-44,
                                   0x1.ebe708164c759p-45,
                                   0x1.46fb79bf6d4cbp-44,
                                   -0x1.17cc552774458p-45,
                                   0x1.b36537e3375b2p-44,
                                   -0x1.82de51de06076p-44,
                                   -0x1.82de51de06076p-44,
                                   0x1.c93c1df5bb3b6p-44,
                                   0x1.e267b0b7efae1p-44,
                                   0x1.e267b0b7efae1p-44,
                                   0x1.ef35793c7673p-45};
constexpr double short_ln2 = 0x1.62e42fefa38p-1, short_ln2_rest = 0x1.ef35793c7673p-45;
/// As logarithm_terms, to s = 1 / 33.
constexpr double near_logarithm_terms[] = {0x1.5555555555555p-1, 0x1.999999999b3edp-2,
                                           0x1.24924910cb5edp-2, 0x1.c71d21439be81p-3,
                                           0x1.73a5a6f84524fp-3};

/// Of f64 and their bits.
class Doubles {
 public:
  explicit Doubles(llvm::IRBuilder<>& b) : b_(b) {}

  Value* real(double value) { return llvm::ConstantFP::get(b_.getDoubleTy(), value); }
  Value* fma(Value* x, Value* y, Value* z) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
  }
  Value* bits(Value* value) { return b_.CreateBitCast(value, b_.getInt64Ty()); }
  Value* from_bits(Value* value) { return b_.CreateBitCast(value, b_.getDoubleTy()); }
  Value* polynomial(Value* x, llvm::ArrayRef<double> coefficients) {
    Value* sum = real(coefficients.back());
    for (const double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, real(coefficient));
    return sum;
  }

 private:
  llvm::IRBuilder<>& b_;
};

/// The element of `table` that the low bits of `index` tell.
Value* chosen(llvm::IRBuilder<>& b, Value* index, const Table& table, bool native) {
  Doubles d(b);
  if (native) {
    llvm::SmallVector<Value*, 17> operands{d.from_bits(index)};
    for (const double element : table) operands.push_back(d.real(element));
    return target::call_native(b, target::NativeOperation::Chosen, operands);
  }
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  llvm::Constant* elements = llvm::ConstantDataArray::get(b.getContext(), llvm::ArrayRef(table));
  auto* global = new llvm::GlobalVariable(module, elements->getType(), true,
                                          llvm::GlobalValue::PrivateLinkage, elements);
  Value* offset = b.CreateShl(b.CreateAnd(index, table.size() - 1), 3);
  Value* address = b.CreateAdd(b.CreatePtrToInt(global, b.getInt64Ty()), offset);
  llvm::LoadInst* load =
      b.CreateAlignedLoad(b.getDoubleTy(), b.CreateIntToPtr(address, b.getPtrTy()), llvm::Align(8));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
  return load;
}

struct Parts {
  Value *exponent, *mantissa;
};

/// x = 2^exponent mantissa, with the mantissa from 3/4 up to 3/2, for positive finite x; as
/// target::NativeOperation::Exponent and Mantissa have it.
Parts taken_apart(llvm::IRBuilder<>& b, Value* x) {
  constexpr std::uint64_t least = 0x3fe8000000000000;
  constexpr double lift = 54;
  Doubles d(b);
  Value* small = b.CreateFCmpOLT(x, d.real(std::numeric_limits<double>::min()));
  Value* raw = d.bits(b.CreateSelect(small, b.CreateFMul(x, d.real(0x1p54)), x));
  Value* steps = b.CreateAnd(b.CreateSub(raw, b.getInt64(least)), 0xfff0000000000000);
  Value* mantissa = d.from_bits(b.CreateSub(raw, steps));
  Value* whole = b.CreateAShr(b.CreateTrunc(b.CreateLShr(steps, 32), b.getInt32Ty()), 20);
  Value* lifted = b.CreateSelect(small, d.real(lift), d.real(0));
  return {b.CreateFSub(b.CreateSIToFP(whole, b.getDoubleTy()), lifted), mantissa};
}

}  // namespace

/// Beyond the bounds the result is infinite or zero. NaNs stay what they are.
Value* exponential_of_double(llvm::IRBuilder<>& b, Value* x, Value* more, bool native) {
  constexpr double round_double = 0x1.8p52;
  Doubles d(b);
  Value* most = b.CreateSelect(b.CreateFCmpOGT(x, d.real(710)), d.real(710), x);
  Value* bounded = b.CreateSelect(b.CreateFCmpOLT(most, d.real(-746)), d.real(-746), most);
  Value* steps = d.fma(bounded, d.real(log2_e), d.real(round_double));
  Value* whole = b.CreateFSub(steps, d.real(round_double));
  Value* rest = d.fma(whole, d.real(-ln2_rest), d.fma(whole, d.real(-ln2), bounded));
  if (more) rest = b.CreateSelect(b.CreateFCmpOEQ(bounded, x), b.CreateFAdd(rest, more), rest);
  Value* result = d.polynomial(rest, exponential_terms);
  if (native) return target::call_native(b, target::NativeOperation::Scale, {result, whole});
  Value* raw = d.bits(steps);
  Value* half = b.CreateAShr(raw, 1);
  for (Value* part : {half, b.CreateSub(raw, half)}) {
    Value* power = b.CreateAdd(b.CreateShl(part, 52), b.getInt64(0x3ff0000000000000));
    result = b.CreateFMul(result, d.from_bits(power));
  }
  return result;
}

/// With f = m - 1, s = f / (m + 1) and R(s) = log(m) / s - 2: log(m) = f - (f^2 / 2 - s (f^2 / 2 +
/// R)), where s may be rounded. The sum with f is as exact as two doubles.
Value* logarithm_of_double(llvm::IRBuilder<>& b, Value* x, bool native) {
  Doubles d(b);
  Value *m = nullptr, *e = nullptr;
  if (native) {
    m = target::call_native(b, target::NativeOperation::Mantissa, {x});
    e = b.CreateFSub(target::call_native(b, target::NativeOperation::Exponent, {x}),
                     target::call_native(b, target::NativeOperation::Exponent, {m}));
  } else {
    const Parts parts = taken_apart(b, x);
    m = parts.mantissa;
    e = parts.exponent;
  }
  Value* f = b.CreateFSub(m, d.real(1));
  Value* s = b.CreateFDiv(f, b.CreateFAdd(m, d.real(1)));
  Value* z = b.CreateFMul(s, s);
  Value* half = b.CreateFMul(f, d.real(0.5));
  Value* sum = d.fma(z, d.polynomial(z, logarithm_terms), b.CreateFMul(half, f));
  Value* high = d.fma(e, d.real(ln2), f);
  Value* back = d.fma(e, d.real(-ln2), high);
  Value* low = d.fma(e, d.real(ln2_rest), b.CreateFSub(f, back));
  Value* rest = d.fma(half, f, b.CreateFNeg(d.fma(s, sum, low)));
  Value* result = b.CreateFSub(high, rest);
  // Zero and infinity have infinite exponents, negative numbers a NaN for a mantissa.
  if (native) return b.CreateSelect(b.CreateFCmpORD(back, d.real(0)), result, high);
  result = b.CreateSelect(b.CreateFCmpOEQ(x, d.real(infinity)), x, result);
  result = b.CreateSelect(b.CreateFCmpOEQ(x, d.real(0)), d.real(-infinity), result);
  Value* nan = d.from_bits(b.getInt64(0xfff8000000000000));
  result = b.CreateSelect(b.CreateFCmpOLT(x, d.real(0)), nan, result);
  return b.CreateSelect(b.CreateFCmpUNO(x, d.real(0)), b.CreateFAdd(x, x), result);
}

/// x = 2^e m with m from 1 to 2, and r = c m - 1 is small and exact, for one of 16 c. The sum of e
/// ln(2), -log(c) and log(1 + r) in two doubles: e ln(2) - log(c) is exact, and log(1 + r) is 2 s,
/// in two doubles as well, and a few thousandths of that, for which one is enough.
Value* power_of_doubles(llvm::IRBuilder<>& b, Value* x, Value* y, bool native) {
  constexpr double least_normal = 0x1p-1022;
  constexpr unsigned bias = 1023, lift = 54;
  Doubles d(b);
  Value *m = nullptr, *e = nullptr, *raw = nullptr;
  if (native) {
    m = target::call_native(b, target::NativeOperation::Fraction, {x});
    e = target::call_native(b, target::NativeOperation::Exponent, {x});
    raw = d.bits(m);
  } else {
    Value* small = b.CreateFCmpOLT(x, d.real(least_normal));
    raw = d.bits(b.CreateSelect(small, b.CreateFMul(x, d.real(0x1p54)), x));
    Value* whole = b.CreateTrunc(b.CreateLShr(raw, 52), b.getInt32Ty());
    whole = b.CreateSub(whole, b.CreateSelect(small, b.getInt32(bias + lift), b.getInt32(bias)));
    e = b.CreateSIToFP(whole, b.getDoubleTy());
    m = d.from_bits(b.CreateOr(b.CreateAnd(raw, 0x000fffffffffffff), 0x3ff0000000000000));
  }
  Value* index = b.CreateLShr(raw, 48);
  Value* r = d.fma(m, chosen(b, index, factors, native), d.real(-1));
  // s = r / (r + 2), and what it is off: 1 / (r + 2) is (1 - s) / 2.
  Value* below = b.CreateFAdd(r, d.real(2));
  Value* below_rest = b.CreateFSub(r, b.CreateFSub(below, d.real(2)));
  Value* s = b.CreateFDiv(r, below);
  Value* negative = b.CreateFNeg(s);
  Value* off = d.fma(negative, below_rest, d.fma(negative, below, r));
  Value* twice = b.CreateFAdd(s, s);
  Value* twice_rest = d.fma(negative, off, off);
  Value* z = b.CreateFMul(s, s);

  Value* base = d.fma(e, d.real(short_ln2), chosen(b, index, logarithms, native));
  Value* first = b.CreateFAdd(base, twice);
  Value* first_rest = b.CreateFSub(twice, b.CreateFSub(first, base));
  Value* low = d.fma(e, d.real(short_ln2_rest), chosen(b, index, logarithm_rests, native));
  low = b.CreateFAdd(b.CreateFAdd(low, twice_rest), first_rest);
  low = d.fma(b.CreateFMul(s, z), d.polynomial(z, near_logarithm_terms), low);
  Value* logarithm = b.CreateFAdd(first, low);
  Value* logarithm_rest = b.CreateFSub(low, b.CreateFSub(logarithm, first));

  Value* product = b.CreateFMul(y, logarithm);
  Value* product_rest = d.fma(y, logarithm, b.CreateFNeg(product));
  return exponential_of_double(b, product, d.fma(y, logarithm_rest, product_rest), native);
}

/// atan(x) = c + atan(t): t is x, (x - 1) / (x + 1) or -1 / x, whichever is small, and c a multiple
/// of pi / 4.
Value* arc_tangent_of_double(llvm::IRBuilder<>& b, Value* x) {
  // tan(pi / 8) and its reciprocal.
  constexpr double first = 0x1.a8279ap-2, second = 0x1.3504f34p+1;
  constexpr double pi = 0x1.921fb54442d18p+1, pi_rest = 0x1.1a62633145c07p-53;
  Doubles d(b);
  Value* low = b.CreateFCmpULT(x, d.real(first));
  Value* high = b.CreateFCmpOGT(x, d.real(second));
  Value* above = b.CreateSelect(high, d.real(-1), b.CreateFSub(x, d.real(1)));
  Value* below = b.CreateSelect(high, x, b.CreateFAdd(x, d.real(1)));
  Value* t = b.CreateSelect(low, x, b.CreateFDiv(above, below));
  Value* c = b.CreateSelect(high, d.real(pi / 2), d.real(pi / 4));
  c = b.CreateSelect(low, d.real(0), c);
  Value* z = b.CreateFMul(t, t);
  Value* c_rest = b.CreateFMul(c, d.real(pi_rest / pi));
  Value* rest = d.fma(b.CreateFMul(t, z), d.polynomial(z, arc_tangent_terms), c_rest);
  return b.CreateFAdd(c, b.CreateFAdd(t, rest));
}

}  // namespace pycuda::cpu::libdevice
