// SPDX-License-Identifier: MIT
#include "cpu/lower/matrix_element.h"

namespace pycuda::cpu::lower {
namespace {

using llvm::Value;

/// A float of 8 bits by way of f16, which has every such number: the upper half of one of e5m2, and
/// of e4m3 one with an exponent that is 8 less. The one NaN of e4m3 would be a number there.
Value* small_float(FunctionLowering& lowering, Value* byte, MatrixType type) {
  llvm::IRBuilder<>& b = lowering.builder();
  Value* wide = b.CreateZExt(byte, b.getInt16Ty());
  if (type == MatrixType::E5M2)
    return b.CreateFPExt(b.CreateBitCast(b.CreateShl(wide, 8), b.getHalfTy()), b.getFloatTy());
  constexpr unsigned magnitude = 0x7f;
  constexpr double exponents = 256;
  Value* sign = b.CreateShl(b.CreateAnd(wide, magnitude + 1), 8);
  Value* half = b.CreateOr(sign, b.CreateShl(b.CreateAnd(wide, magnitude), 7));
  Value* number = b.CreateFMul(b.CreateFPExt(b.CreateBitCast(half, b.getHalfTy()), b.getFloatTy()),
                               llvm::ConstantFP::get(b.getFloatTy(), exponents));
  Value* is_nan = b.CreateICmpEQ(b.CreateAnd(wide, magnitude), b.getInt16(magnitude));
  return b.CreateSelect(is_nan, llvm::ConstantFP::getNaN(b.getFloatTy()), number);
}

}  // namespace

/// By way of f16, which has every such exponent.
Value* narrow_float(FunctionLowering& lowering, Value* code, unsigned exponent_bits,
                    unsigned mantissa_bits) {
  llvm::IRBuilder<>& b = lowering.builder();
  constexpr unsigned half_mantissa = 10, half_bias = 15;
  const unsigned magnitude_bits = exponent_bits + mantissa_bits;
  const unsigned bias = (1u << (exponent_bits - 1)) - 1;
  Value* magnitude =
      b.CreateShl(b.CreateAnd(code, (1u << magnitude_bits) - 1), half_mantissa - mantissa_bits);
  Value* sign = b.CreateShl(b.CreateAnd(b.CreateLShr(code, magnitude_bits), 1), 15);
  Value* half =
      b.CreateBitCast(b.CreateTrunc(b.CreateOr(sign, magnitude), b.getInt16Ty()), b.getHalfTy());
  return b.CreateFMul(b.CreateFPExt(half, b.getFloatTy()),
                      llvm::ConstantFP::get(b.getFloatTy(), 1u << (half_bias - bias)));
}

Value* element(FunctionLowering& lowering, Value* bits, MatrixType type, unsigned index) {
  llvm::IRBuilder<>& b = lowering.builder();
  const auto part = [&](unsigned width) {
    return b.CreateTrunc(b.CreateLShr(bits, std::uint64_t{width} * index), b.getIntNTy(width));
  };
  switch (type) {
    case MatrixType::F16:
      return b.CreateFPExt(b.CreateBitCast(part(16), b.getHalfTy()), b.getFloatTy());
    case MatrixType::BF16:
      return b.CreateBitCast(b.CreateShl(b.CreateZExt(part(16), b.getInt32Ty()), 16),
                             b.getFloatTy());
    case MatrixType::TF32:
      // The low bits are not looked at.
      return b.CreateBitCast(b.CreateAnd(bits, 0xffffe000), b.getFloatTy());
    case MatrixType::F64:
      return b.CreateBitCast(bits, b.getDoubleTy());
    case MatrixType::E4M3:
    case MatrixType::E5M2:
      return small_float(lowering, part(8), type);
    case MatrixType::E2M3:
      return narrow_float(lowering, b.CreateLShr(bits, std::uint64_t{8} * index), 2, 3);
    case MatrixType::E3M2:
      return narrow_float(lowering, b.CreateLShr(bits, std::uint64_t{8} * index), 3, 2);
    case MatrixType::E2M1:
      return narrow_float(lowering, b.CreateLShr(bits, std::uint64_t{8} * index + 2), 2, 1);
    case MatrixType::PackedE2M1:
      return narrow_float(lowering, b.CreateLShr(bits, std::uint64_t{4} * index), 2, 1);
    case MatrixType::S8:
    case MatrixType::S4:
      return b.CreateSExt(part(bits_of(type)), b.getInt32Ty());
    case MatrixType::U8:
    case MatrixType::U4:
      return b.CreateZExt(part(bits_of(type)), b.getInt32Ty());
    default:
      return bits;
  }
}

Value* add_product(FunctionLowering& lowering, const TileProduct& product, Value* a, Value* b,
                   Value* sum) {
  llvm::IRBuilder<>& builder = lowering.builder();
  if (sum->getType()->isFloatingPointTy()) {
    return builder.CreateIntrinsic(llvm::Intrinsic::fma, {sum->getType()}, {a, b, sum});
  }
  Value* term = nullptr;
  if (product.a == MatrixType::B1) {
    Value* both = product.parity ? builder.CreateXor(a, b) : builder.CreateAnd(a, b);
    term = builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, both);
  } else {
    term = builder.CreateMul(a, b);
  }
  return builder.CreateAdd(sum, builder.CreateSExt(term, sum->getType()));
}

}  // namespace pycuda::cpu::lower
