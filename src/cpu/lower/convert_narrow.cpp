// SPDX-License-Identifier: MIT
// cvt to and from pairs of floats of 6 and 4 bits, of exponents alone (ue8m0) and of fixed-point
// numbers (s2f6), and between pairs of bf16 and what has 8 bits. The first source operand, or the
// upper half of one, goes to the upper half of the result.
#include <array>
#include <optional>

#include "cpu/lower/convert.h"
#include "cpu/lower/float_ops.h"
#include "cpu/lower/function_lowering.h"
#include "cpu/lower/matrix_element.h"

namespace pycuda::cpu::lower {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Rounding;
using ptx::Type;

using Pair = std::array<Value*, 2>;  ///< the lower half first

/// A format without infinities and NaN: sign, exponent, mantissa, from the highest bit on.
struct Format {
  unsigned exponent_bits, mantissa_bits, bias;
  unsigned container;  ///< bits from one element of a pair to the next

  unsigned magnitude_bits() const { return exponent_bits + mantissa_bits; }
  unsigned largest() const { return (1u << magnitude_bits()) - 1; }
};

std::optional<Format> format_of(Type type) {
  switch (type) {
    case Type::E2M3x2:
      return Format{2, 3, 1, 8};
    case Type::E3M2x2:
      return Format{3, 2, 3, 8};
    case Type::E2M1x2:
      return Format{2, 1, 1, 4};
    default:
      return std::nullopt;
  }
}

constexpr unsigned float_mantissa = 23, float_bias = 127;
constexpr std::uint32_t float_magnitude = 0x7fffffff, float_infinity = 0x7f800000;

/// The code of a float: rounded to the nearest, the largest for what is larger, and for NaN.
Value* code_of(FunctionLowering& lowering, Value* value, const Format& format) {
  llvm::IRBuilder<>& b = lowering.builder();
  FloatOps ops(lowering);
  const unsigned dropped = float_mantissa - format.mantissa_bits;
  Value* raw = ops.bits(value);
  Value* magnitude = b.CreateAnd(raw, float_magnitude);
  Value* odd = b.CreateAnd(b.CreateLShr(magnitude, dropped), 1);
  Value* normal = b.CreateAdd(b.CreateAdd(magnitude, odd), b.getInt32((1u << (dropped - 1)) - 1));
  normal = b.CreateSub(b.CreateLShr(normal, dropped),
                       b.getInt32((float_bias - format.bias) << format.mantissa_bits));
  // Below the least normal number all steps have one size: that of the last bit of this float.
  const std::uint32_t step = (float_bias + 1 - format.bias + dropped) << float_mantissa;
  Value* sum = b.CreateFAdd(ops.from_bits(magnitude, b.getFloatTy()),
                            ops.from_bits(b.getInt32(step), b.getFloatTy()));
  Value* subnormal = b.CreateSub(ops.bits(sum), b.getInt32(step));
  const std::uint32_t least_normal = (float_bias + 1 - format.bias) << float_mantissa;
  Value* code =
      b.CreateSelect(b.CreateICmpULT(magnitude, b.getInt32(least_normal)), subnormal, normal);
  code = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, code, b.getInt32(format.largest()));
  Value* sign = b.CreateShl(b.CreateLShr(raw, 31), format.magnitude_bits());
  sign = b.CreateSelect(ops.is_nan(value), b.getInt32(0), sign);
  return b.CreateOr(sign, code);
}

/// The sources as two floats.
std::optional<Pair> floats_of(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  FloatOps ops(lowering);
  const Type from = instruction.modifiers.types[1];
  const std::size_t sources = instruction.operands.size() - 1;
  Pair pair{};
  if (from == Type::F32 && sources == 2) {
    for (unsigned part = 0; part < 2; ++part)
      pair[part] = lowering.read(instruction.operands[2 - part], Type::F32);
    return pair;
  }
  if ((from != Type::F16x2 && from != Type::BF16x2) || sources != 1) return std::nullopt;
  Value* halves = lowering.read(instruction.operands[1], from);
  for (unsigned part = 0; part < 2; ++part)
    pair[part] = ops.widen(b.CreateExtractElement(halves, part), b.getFloatTy());
  return pair;
}

/// Two codes of so many bits, side by side.
void write_codes(FunctionLowering& lowering, const Instruction& instruction, const Pair& codes,
                 unsigned bits) {
  llvm::IRBuilder<>& b = lowering.builder();
  Value* both = b.CreateOr(codes[0], b.CreateShl(codes[1], bits));
  lowering.write(instruction.operands[0], b.CreateTrunc(both, b.getIntNTy(2 * bits)));
}

bool to_codes(FunctionLowering& lowering, const Instruction& instruction, const Format& format) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const auto values = floats_of(lowering, instruction);
  if (!values || modifiers.rounding != Rounding::Rn || !modifiers.satfinite) return false;
  FloatOps ops(lowering);
  Pair codes{};
  for (unsigned part = 0; part < 2; ++part) {
    Value* value = modifiers.relu ? ops.relu((*values)[part]) : (*values)[part];
    codes[part] = code_of(lowering, value, format);
  }
  write_codes(lowering, instruction, codes, format.container);
  return true;
}

/// The exponent of a magnitude: toward zero, or up. Infinity and NaN are 255, infinity 254 with
/// .satfinite.
bool to_exponents(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const bool up = modifiers.rounding == Rounding::Rp;
  const auto values = floats_of(lowering, instruction);
  if (!values || (!up && modifiers.rounding != Rounding::Rz)) return false;
  FloatOps ops(lowering);
  constexpr std::uint32_t least = 0x00400000;  // 2^-127
  Pair codes{};
  for (unsigned part = 0; part < 2; ++part) {
    Value* magnitude = b.CreateAnd(ops.bits((*values)[part]), float_magnitude);
    Value* code = b.CreateLShr(magnitude, float_mantissa);
    if (up) {
      Value* inexact =
          b.CreateICmpNE(b.CreateAnd(magnitude, (1u << float_mantissa) - 1), b.getInt32(0));
      Value* above = b.CreateICmpUGT(magnitude, b.getInt32(least));
      Value* finite = b.CreateICmpULT(magnitude, b.getInt32(float_infinity));
      Value* rounds = b.CreateAnd(b.CreateAnd(inexact, above), finite);
      code = b.CreateAdd(code, b.CreateZExt(rounds, b.getInt32Ty()));
    }
    if (modifiers.satfinite) {
      constexpr std::uint32_t largest = 254;
      Value* number = b.CreateICmpULE(magnitude, b.getInt32(float_infinity));
      Value* clamped = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, code, b.getInt32(largest));
      code = b.CreateSelect(number, clamped, code);
    }
    codes[part] = code;
  }
  write_codes(lowering, instruction, codes, 8);
  return true;
}

/// An exponent as a float: 2^(code - 127), or NaN of 255.
Value* power_of(FunctionLowering& lowering, Value* code) {
  llvm::IRBuilder<>& b = lowering.builder();
  FloatOps ops(lowering);
  constexpr std::uint32_t least = 0x00400000, nan = 0x7fffffff;
  Value* bits = b.CreateShl(code, float_mantissa);
  bits = b.CreateSelect(b.CreateICmpEQ(code, b.getInt32(0)), b.getInt32(least), bits);
  bits = b.CreateSelect(b.CreateICmpEQ(code, b.getInt32(0xff)), b.getInt32(nan), bits);
  return ops.from_bits(bits, b.getFloatTy());
}

/// Half `part` of a pair of `bits` bits each.
Value* code_at(FunctionLowering& lowering, Value* pair, unsigned part, unsigned bits) {
  llvm::IRBuilder<>& b = lowering.builder();
  return b.CreateAnd(b.CreateLShr(pair, std::uint64_t{bits} * part), (1u << bits) - 1);
}

/// What a source holds, as floats.
std::optional<Pair> values_of(FunctionLowering& lowering, const Instruction& instruction,
                              Type from) {
  llvm::IRBuilder<>& b = lowering.builder();
  FloatOps ops(lowering);
  Value* both =
      b.CreateZExt(lowering.read_bits(instruction.operands[1], ptx::bits_of(from)), b.getInt32Ty());
  const auto format = format_of(from);
  Pair values{};
  for (unsigned part = 0; part < 2; ++part) {
    if (format) {
      values[part] = narrow_float(lowering, code_at(lowering, both, part, format->container),
                                  format->exponent_bits, format->mantissa_bits);
    } else if (from == Type::E4M3x2 || from == Type::E5M2x2) {
      const MatrixType type = from == Type::E4M3x2 ? MatrixType::E4M3 : MatrixType::E5M2;
      values[part] = element(lowering, both, type, part);
    } else if (from == Type::UE8M0x2) {
      values[part] = power_of(lowering, code_at(lowering, both, part, 8));
    } else if (from == Type::S2F6x2) {
      constexpr double unit = 1.0 / 64;
      Value* number = b.CreateTrunc(b.CreateLShr(both, std::uint64_t{8} * part), b.getInt8Ty());
      values[part] =
          b.CreateFMul(b.CreateSIToFP(number, b.getFloatTy()), ops.constant(b.getFloatTy(), unit));
    } else {
      return std::nullopt;
    }
  }
  return values;
}

/// To halves, which have each of the values, or to bf16, also by a power of two for each.
bool from_codes(FunctionLowering& lowering, const Instruction& instruction, Type to, Type from) {
  llvm::IRBuilder<>& b = lowering.builder();
  FloatOps ops(lowering);
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const bool is_scaled = modifiers.has("scaled::n2::ue8m0");
  if (modifiers.rounding != Rounding::Rn || instruction.operands.size() != (is_scaled ? 3 : 2))
    return false;
  auto values = values_of(lowering, instruction, from);
  if (!values) return false;
  if (is_scaled) {
    Value* scales = b.CreateZExt(lowering.read_bits(instruction.operands[2], 16), b.getInt32Ty());
    for (unsigned part = 0; part < 2; ++part)
      (*values)[part] =
          b.CreateFMul((*values)[part], power_of(lowering, code_at(lowering, scales, part, 8)));
  }
  auto* target = llvm::cast<llvm::FixedVectorType>(lowering.type_of(to));
  Value* result = llvm::PoisonValue::get(target);
  for (unsigned part = 0; part < 2; ++part) {
    Value* half = ops.narrow((*values)[part], target->getElementType(), Rounding::Rn);
    half = modifiers.relu ? ops.relu(half) : ops.canonical(half);
    if (modifiers.satfinite) half = ops.finite(half);
    result = b.CreateInsertElement(result, half, part);
  }
  lowering.write(instruction.operands[0], result);
  return true;
}

}  // namespace

bool emit_narrow_convert(FunctionLowering& lowering, const Instruction& instruction) {
  const Type to = instruction.modifiers.types[0], from = instruction.modifiers.types[1];
  if (const auto format = format_of(to)) return to_codes(lowering, instruction, *format);
  if (to == Type::UE8M0x2) return to_exponents(lowering, instruction);
  const bool to_halves = to == Type::F16x2 || to == Type::BF16x2;
  return to_halves && from_codes(lowering, instruction, to, from);
}

}  // namespace pycuda::cpu::lower
