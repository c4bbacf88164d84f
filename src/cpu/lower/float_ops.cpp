// SPDX-License-Identifier: MIT
// NaN rules, flushing, saturation and roundings as LLVM IR.
#include "cpu/lower/float_ops.h"

#include <llvm/IR/Intrinsics.h>

#include "cpu/lower/approximations.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {

using llvm::Type;
using llvm::Value;
using ptx::Rounding;

namespace {

unsigned width(const Value* value) {
  return static_cast<unsigned>(value->getType()->getPrimitiveSizeInBits());
}

/// The exponent's bits: a value with none of them set is zero or subnormal.
std::uint64_t exponent_mask(Type* type) {
  if (type->isHalfTy()) return 0x7c00;
  if (type->isBFloatTy()) return 0x7f80;
  return type->isFloatTy() ? 0x7f800000 : 0x7ff0000000000000;
}

}  // namespace

FloatOps::FloatOps(FunctionLowering& lowering) : b_(lowering.builder()), lowering_(lowering) {}

Value* FloatOps::bits(Value* value) { return b_.CreateBitCast(value, b_.getIntNTy(width(value))); }
Value* FloatOps::from_bits(Value* value, Type* type) { return b_.CreateBitCast(value, type); }
Value* FloatOps::is_nan(Value* value) {
  Value* number = comparable(value);
  return b_.CreateFCmpUNO(number, number);
}

Value* FloatOps::select(Value* condition, Value* yes, Value* no) {
  if (width(yes) > 16) return b_.CreateSelect(condition, yes, no);
  return from_bits(b_.CreateSelect(condition, bits(yes), bits(no)), yes->getType());
}

Value* FloatOps::comparable(Value* value) {
  return width(value) > 16 ? value : widen(value, b_.getFloatTy());
}

Value* FloatOps::constant(Type* type, double value) { return llvm::ConstantFP::get(type, value); }

Value* FloatOps::sign_bit(Value* value) {
  Value* raw = bits(value);
  return b_.CreateICmpSLT(raw, llvm::Constant::getNullValue(raw->getType()));
}

Value* FloatOps::absolute(Value* value) {
  if (width(value) > 16) return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  return from_bits(b_.CreateAnd(bits(value), 0x7fff), value->getType());
}

Value* FloatOps::negate(Value* value) {
  if (width(value) > 16) return b_.CreateFNeg(value);
  return from_bits(b_.CreateXor(bits(value), 0x8000), value->getType());
}

Value* FloatOps::canonical(Value* value) {
  Type* type = value->getType();
  if (type->isDoubleTy()) return value;
  const std::uint64_t pattern = type->isFloatTy() ? 0x7fffffff : 0x7fff;
  return select(is_nan(value), from_bits(b_.getIntN(width(value), pattern), type), value);
}

Value* FloatOps::quiet(Value* value) {
  return from_bits(b_.CreateOr(bits(value), std::uint64_t{1} << 51), value->getType());
}

Value* FloatOps::flush(Value* value) {
  Type* type = value->getType();
  if (type->isDoubleTy()) return value;
  if (type->isFloatTy() && lowering_.module().processor_flushes())
    return intrinsic(llvm::Intrinsic::canonicalize, value);
  Value* raw = bits(value);
  const std::uint64_t sign = std::uint64_t{1} << (width(value) - 1);
  Value* tiny =
      b_.CreateICmpEQ(b_.CreateAnd(raw, exponent_mask(type)), b_.getIntN(width(value), 0));
  return from_bits(b_.CreateSelect(tiny, b_.CreateAnd(raw, sign), raw), type);
}

Value* FloatOps::flush_tiny(Value* result, Value* exact, Rounding rounding) {
  Type* type = result->getType();
  const bool half = type->isHalfTy();
  const double least_normal = half ? 0x1p-14 : 0x1p-126;
  const double step_below =
      half ? 0x1p-25 : 0x1p-150;  // between numbers just below it, were they normal
  Value* magnitude = absolute(exact);
  const auto below = [&](double limit) {
    return b_.CreateFCmpOLT(magnitude, constant(exact->getType(), limit));
  };
  const auto not_above = [&](double limit) {
    return b_.CreateFCmpOLE(magnitude, constant(exact->getType(), limit));
  };
  Value* tiny = nullptr;
  if (rounding == Rounding::Rz) {
    tiny = below(least_normal);
  } else if (rounding == Rounding::Rm || rounding == Rounding::Rp) {
    Value* negative = sign_bit(exact);
    Value* away = rounding == Rounding::Rm ? negative : b_.CreateNot(negative);
    tiny = b_.CreateSelect(away, not_above(least_normal - step_below), below(least_normal));
  } else {
    tiny = below(least_normal - step_below / 2);
  }
  Value* raw = bits(result);
  Value* zero = b_.CreateAnd(raw, std::uint64_t{1} << (width(result) - 1));
  return from_bits(b_.CreateSelect(tiny, zero, raw), type);
}

Value* FloatOps::flush_tiny_quotient(Value* result, Value* a, Value* b) {
  Value* flushed = flush(result);
  if (lowering_.module().processor_flushes()) return flushed;
  constexpr std::uint32_t magnitude = 0x7fffffff, mantissa = 0x007fffff, least_normal = 0x00800000;
  Value* raw = bits(result);
  Value* rounded_up = b_.CreateAnd(
      b_.CreateICmpEQ(b_.CreateAnd(raw, magnitude), b_.getInt32(least_normal)),
      b_.CreateAnd(b_.CreateICmpEQ(b_.CreateAnd(bits(a), mantissa), b_.getInt32(mantissa)),
                   b_.CreateICmpNE(b_.CreateAnd(bits(b), mantissa), b_.getInt32(mantissa))));
  return from_bits(b_.CreateSelect(rounded_up, b_.CreateAnd(raw, ~magnitude), bits(flushed)),
                   result->getType());
}

Value* FloatOps::flush_tiny_sum(Value* result, Value* a, Value* b, Value* c) {
  // A product keeps its sign where -0 is added.
  if (c == nullptr) c = constant(result->getType(), -0.0);
  if (lowering_.module().processor_flushes())
    return lowering_.pure_call(approximation::flushed_sum, result->getType(), {result, a, b, c});
  Value* tiny = lowering_.pure_call(approximation::tiny_sum, b_.getInt1Ty(), {result, a, b, c});
  Value* raw = bits(result);
  Value* flushed = b_.CreateSelect(tiny, b_.CreateAnd(raw, 0x80000000), raw);
  return from_bits(flushed, result->getType());
}

Value* FloatOps::saturate(Value* value) {
  Type* type = value->getType();
  Value* number = comparable(value);
  Value* below_one = b_.CreateFCmpOLT(number, constant(number->getType(), 1.0));
  Value* result = select(below_one, value, constant(type, 1.0));
  Value* positive = b_.CreateFCmpOGT(number, constant(number->getType(), 0.0));
  return select(positive, result, constant(type, 0.0));
}

Value* FloatOps::relu(Value* value) {
  Value* number = comparable(value);
  Value* keep = b_.CreateFCmpUGT(number, constant(number->getType(), 0.0));
  return canonical(select(keep, value, constant(value->getType(), 0.0)));
}

Value* FloatOps::finite(Value* value) {
  const std::uint16_t infinity = value->getType()->isBFloatTy() ? 0x7f80 : 0x7c00;
  Value* raw = bits(value);
  Value* is_infinite = b_.CreateICmpEQ(b_.CreateAnd(raw, 0x7fff), b_.getInt16(infinity));
  Value* below = b_.CreateSub(raw, b_.getInt16(1));
  return from_bits(b_.CreateSelect(is_infinite, below, raw), value->getType());
}

Value* FloatOps::make_odd(Value* value, Value* inexact, Value* farther) {
  Value* raw = bits(value);
  Value* one = b_.getIntN(width(value), 1);
  Value* even = b_.CreateICmpEQ(b_.CreateAnd(raw, one), b_.getIntN(width(value), 0));
  Value* moved = b_.CreateSelect(farther, b_.CreateAdd(raw, one), b_.CreateSub(raw, one));
  return from_bits(b_.CreateSelect(b_.CreateAnd(inexact, even), moved, raw), value->getType());
}

Value* FloatOps::odd_float(Value* value) {
  if (value->getType()->isFloatTy()) return value;
  Value* rounded = b_.CreateFPTrunc(value, b_.getFloatTy());
  Value* back = b_.CreateFPExt(rounded, b_.getDoubleTy());
  return make_odd(rounded, b_.CreateFCmpONE(back, value),
                  b_.CreateFCmpOLT(absolute(back), absolute(value)));
}

Value* FloatOps::nearest_bfloat(Value* value) {
  Value* raw = bits(value);
  Value* upper = b_.CreateLShr(raw, 16);
  Value* bias = b_.CreateAdd(b_.CreateAnd(upper, 1), b_.getInt32(0x7fff));
  Value* rounded = b_.CreateTrunc(b_.CreateLShr(b_.CreateAdd(raw, bias), 16), b_.getInt16Ty());
  // The carry of rounding must not turn a NaN into something else.
  Value* nan = b_.CreateOr(b_.CreateTrunc(upper, b_.getInt16Ty()), 0x40);
  return from_bits(b_.CreateSelect(is_nan(value), nan, rounded), b_.getBFloatTy());
}

Value* FloatOps::narrow(Value* value, Type* type, Rounding rounding) {
  if (value->getType() == type) return value;
  Value* nearest = nullptr;
  if (type->isFloatTy()) {
    nearest = b_.CreateFPTrunc(value, type);
  } else if (type->isHalfTy()) {
    nearest = b_.CreateFPTrunc(odd_float(value), type);
  } else {
    nearest = nearest_bfloat(odd_float(value));
  }
  if (rounding == Rounding::None || rounding == Rounding::Rn) return nearest;
  // The nearest value is either the directed one or one step beyond it.
  Value* back = widen(nearest, value->getType());
  Value* raw = bits(nearest);
  Value* one = b_.getIntN(width(nearest), 1);
  Value* nearer_zero = b_.CreateSub(raw, one);
  Value* farther = b_.CreateAdd(raw, one);
  Value* negative = sign_bit(nearest);
  Value* result = nullptr;
  if (rounding == Rounding::Rz) {
    result = b_.CreateSelect(b_.CreateFCmpOGT(absolute(back), absolute(value)), nearer_zero, raw);
  } else if (rounding == Rounding::Rm) {
    Value* down = b_.CreateSelect(negative, farther, nearer_zero);
    result = b_.CreateSelect(b_.CreateFCmpOGT(back, value), down, raw);
  } else {
    Value* up = b_.CreateSelect(negative, nearer_zero, farther);
    result = b_.CreateSelect(b_.CreateFCmpOLT(back, value), up, raw);
  }
  return from_bits(result, type);
}

Value* FloatOps::widen(Value* value, Type* type) {
  Type* from = value->getType();
  if (from == type) return value;
  if (from->isBFloatTy()) {
    Value* raw = b_.CreateShl(b_.CreateZExt(bits(value), b_.getInt32Ty()), 16);
    value = from_bits(raw, b_.getFloatTy());
  }
  return value->getType() == type ? value : b_.CreateFPExt(value, type);
}

Value* FloatOps::odd_sum(Value* a, Value* b) {
  Value* sum = b_.CreateFAdd(a, b);
  Value* b_part = b_.CreateFSub(sum, a);
  Value* a_part = b_.CreateFSub(sum, b_part);
  Value* error = b_.CreateFAdd(b_.CreateFSub(a, a_part), b_.CreateFSub(b, b_part));
  Value* zero = constant(sum->getType(), 0.0);
  Value* farther = b_.CreateICmpEQ(b_.CreateFCmpOGT(error, zero), b_.CreateFCmpOGT(sum, zero));
  return make_odd(sum, b_.CreateFCmpONE(error, zero), farther);
}

Value* FloatOps::odd_quotient(Value* a, Value* b) {
  Value* quotient = b_.CreateFDiv(a, b);
  Value* rest = fma(b_.CreateFNeg(quotient), b, a);
  Value* zero = constant(quotient->getType(), 0.0);
  Value* above = b_.CreateICmpEQ(b_.CreateFCmpOGT(rest, zero), b_.CreateFCmpOGT(b, zero));
  Value* farther = b_.CreateICmpEQ(above, b_.CreateFCmpOGT(quotient, zero));
  return make_odd(quotient, b_.CreateFCmpONE(rest, zero), farther);
}

Value* FloatOps::odd_root(Value* a) {
  Value* root = intrinsic(llvm::Intrinsic::sqrt, a);
  Value* rest = fma(b_.CreateFNeg(root), root, a);
  Value* zero = constant(root->getType(), 0.0);
  return make_odd(root, b_.CreateFCmpONE(rest, zero), b_.CreateFCmpOGT(rest, zero));
}

Value* FloatOps::odd_integer(Value* integer, bool is_signed) {
  Type* real = b_.getDoubleTy();
  const unsigned bits_of_integer = integer->getType()->getIntegerBitWidth();
  if (bits_of_integer <= 32)
    return is_signed ? b_.CreateSIToFP(integer, real) : b_.CreateUIToFP(integer, real);
  Value* magnitude = integer;
  Value* negative = b_.getFalse();
  if (is_signed) {
    negative = b_.CreateICmpSLT(integer, b_.getInt64(0));
    magnitude = b_.CreateSelect(negative, b_.CreateNeg(integer), integer);
  }
  // 53 bits with everything below them in the last one; small numbers stay whole.
  constexpr unsigned dropped = 11;
  Value* sticky =
      b_.CreateZExt(b_.CreateICmpNE(b_.CreateAnd(magnitude, (1u << dropped) - 1), b_.getInt64(0)),
                    b_.getInt64Ty());
  Value* cut = b_.CreateShl(b_.CreateOr(b_.CreateLShr(magnitude, dropped), sticky), dropped);
  Value* large = b_.CreateICmpUGE(magnitude, b_.getInt64(std::uint64_t{1} << 53));
  Value* result = b_.CreateUIToFP(b_.CreateSelect(large, cut, magnitude), real);
  return b_.CreateSelect(negative, b_.CreateFNeg(result), result);
}

Value* FloatOps::fma(Value* a, Value* b, Value* c) {
  return b_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

Value* FloatOps::intrinsic(llvm::Intrinsic::ID id, Value* value) {
  return b_.CreateUnaryIntrinsic(id, value);
}

}  // namespace pycuda::cpu::lower
