// SPDX-License-Identifier: MIT
// cvt to and from packed halves, tf32 and 8-bit floats. The first source operand goes to the upper
// half of a packed result.
#include <llvm/IR/Intrinsics.h>

#include "cpu/lower/convert.h"
#include "cpu/lower/float_ops.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Rounding;
using ptx::Type;

/// .rs: a float rounded towards zero, or away from it if the sum of `random` and the upper bits
/// that are left out has a carry. A bfloat takes 16 bits of both, a half 13.
Value* rounded_at_random(FunctionLowering& lowering, Value* value, llvm::Type* type,
                         Value* random) {
  llvm::IRBuilder<>& b = lowering.builder();
  FloatOps ops(lowering);
  const unsigned left_out = type->isBFloatTy() ? 16 : 13;
  const std::uint32_t mask = (1u << left_out) - 1;
  Value* magnitude = b.CreateAnd(ops.bits(value), 0x7fffffff);
  Value* rest = magnitude;
  if (type->isHalfTy()) {
    // Below 2^-14 halves are multiples of 2^-24, whatever the exponent of the float.
    constexpr std::uint32_t least_normal = 0x38800000, two_to_37 = 0x52000000;
    Value* steps = b.CreateFMul(ops.from_bits(magnitude, b.getFloatTy()),
                                ops.from_bits(b.getInt32(two_to_37), b.getFloatTy()));
    Value* subnormal =
        b.CreateIntrinsic(llvm::Intrinsic::fptoui_sat, {b.getInt32Ty(), b.getFloatTy()}, {steps});
    rest =
        b.CreateSelect(b.CreateICmpULT(magnitude, b.getInt32(least_normal)), subnormal, magnitude);
  }
  Value* sum = b.CreateAdd(b.CreateAnd(rest, mask), b.CreateAnd(random, mask));
  Value* is_finite = b.CreateICmpULT(magnitude, b.getInt32(0x7f800000));
  Value* carry = b.CreateSelect(is_finite, b.CreateLShr(sum, left_out), b.getInt32(0));
  Value* toward_zero = ops.bits(ops.narrow(value, type, Rounding::Rz));
  return ops.from_bits(b.CreateAdd(toward_zero, b.CreateTrunc(carry, b.getInt16Ty())), type);
}

/// d, a, b and, of .rs, the random bits: the upper half's are for a.
bool two_floats_to_halves(FunctionLowering& lowering, const Instruction& instruction, Type to) {
  llvm::IRBuilder<>& b = lowering.builder();
  FloatOps ops(lowering);
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const bool at_random = modifiers.rounding == Rounding::Rs;
  Value* random = at_random ? lowering.read_bits(instruction.operands[3], 32) : nullptr;
  auto* target = llvm::cast<llvm::FixedVectorType>(lowering.type_of(to));
  Value* result = llvm::PoisonValue::get(target);
  for (unsigned part = 0; part < 2; ++part) {
    Value* value = lowering.read(instruction.operands[2 - part], Type::F32);
    llvm::Type* type = target->getElementType();
    Value* half = at_random ? rounded_at_random(lowering, value, type,
                                                b.CreateLShr(random, std::uint64_t{16} * part))
                            : ops.narrow(value, type, modifiers.rounding);
    half = modifiers.relu ? ops.relu(half) : ops.canonical(half);
    if (modifiers.satfinite) half = ops.finite(half);
    result = b.CreateInsertElement(result, half, part);
  }
  lowering.write(instruction.operands[0], result);
  return true;
}

/// tf32: an f32 whose 13 low bits are zero.
bool float_to_tf32(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  FloatOps ops(lowering);
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (instruction.operands.size() != 2 || instruction.modifiers.types[1] != Type::F32) return false;
  constexpr std::uint32_t kept = 0xffffe000;
  Value* value = lowering.read(instruction.operands[1], Type::F32);
  if (modifiers.relu) {
    Value* positive = b.CreateFCmpUGT(value, ops.constant(b.getFloatTy(), 0));
    value = b.CreateSelect(positive, value, ops.constant(b.getFloatTy(), 0));
  }
  Value* raw = ops.bits(value);
  Value* special = b.CreateICmpEQ(b.CreateAnd(raw, 0x7f800000), b.getInt32(0x7f800000));
  Value* bias = nullptr;
  switch (modifiers.rounding) {
    case Rounding::Rna:
      bias = b.getInt32(0x1000);
      break;  // ties away from zero
    case Rounding::Rz:
      bias = b.getInt32(0);
      break;
    case Rounding::Rn:
      bias = b.CreateAdd(b.CreateAnd(b.CreateLShr(raw, 13), 1), b.getInt32(0xfff));
      break;
    default:
      return false;
  }
  Value* result = b.CreateAnd(b.CreateSelect(special, raw, b.CreateAdd(raw, bias)), kept);
  if (modifiers.rounding != Rounding::Rna) {
    result = b.CreateSelect(ops.is_nan(value), b.getInt32(0x7fffe000), result);
  }
  if (modifiers.satfinite) {
    // Infinity becomes the largest number below it; hardware steps down from NaNs the same way.
    Value* special_now = b.CreateICmpEQ(b.CreateAnd(result, 0x7f800000), b.getInt32(0x7f800000));
    result = b.CreateSelect(special_now, b.CreateSub(result, b.getInt32(~kept + 1)), result);
  }
  lowering.write(instruction.operands[0], result);
  return true;
}

/// Two 8-bit floats from two f32, or from the halves of an f16x2 or bf16x2.
bool to_bytes(FunctionLowering& lowering, const Instruction& instruction, Type to) {
  llvm::IRBuilder<>& b = lowering.builder();
  FloatOps ops(lowering);
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (modifiers.rounding != Rounding::Rn || !modifiers.satfinite) return false;
  Value* parts[2] = {nullptr, nullptr};
  if (modifiers.types[1] == Type::F32 && instruction.operands.size() == 3) {
    for (unsigned part = 0; part < 2; ++part)
      parts[part] = lowering.read(instruction.operands[2 - part], Type::F32);
  } else if ((modifiers.types[1] == Type::F16x2 || modifiers.types[1] == Type::BF16x2) &&
             instruction.operands.size() == 2) {
    Value* halves = lowering.read(instruction.operands[1], modifiers.types[1]);
    for (unsigned part = 0; part < 2; ++part) {
      parts[part] = ops.widen(b.CreateExtractElement(halves, part), b.getFloatTy());
    }
  } else {
    return false;
  }
  const char* name = to == Type::E4M3x2 ? "pycuda_cpu_e4m3_from_f32" : "pycuda_cpu_e5m2_from_f32";
  Value* bytes[2];
  for (unsigned part = 0; part < 2; ++part) {
    Value* value = modifiers.relu ? ops.relu(parts[part]) : parts[part];
    bytes[part] = lowering.pure_call(name, b.getInt32Ty(), {value});
  }
  Value* packed = b.CreateOr(bytes[0], b.CreateShl(bytes[1], 8));
  lowering.write(instruction.operands[0], b.CreateTrunc(packed, b.getInt16Ty()));
  return true;
}

bool from_bytes(FunctionLowering& lowering, const Instruction& instruction, Type from) {
  llvm::IRBuilder<>& b = lowering.builder();
  FloatOps ops(lowering);
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (instruction.operands.size() != 2 || modifiers.rounding != Rounding::Rn) return false;
  Value* packed = b.CreateZExt(lowering.read_bits(instruction.operands[1], 16), b.getInt32Ty());
  const char* name = from == Type::E4M3x2 ? "pycuda_cpu_f32_from_e4m3" : "pycuda_cpu_f32_from_e5m2";
  auto* target = llvm::cast<llvm::FixedVectorType>(lowering.type_of(Type::F16x2));
  Value* result = llvm::PoisonValue::get(target);
  for (unsigned part = 0; part < 2; ++part) {
    Value* byte = b.CreateAnd(b.CreateLShr(packed, std::uint64_t{8} * part), 0xff);
    Value* value = lowering.pure_call(name, b.getFloatTy(), {byte});
    Value* half = ops.narrow(value, target->getElementType(), Rounding::Rn);
    result =
        b.CreateInsertElement(result, modifiers.relu ? ops.relu(half) : ops.canonical(half), part);
  }
  lowering.write(instruction.operands[0], result);
  return true;
}

}  // namespace

bool emit_packed_convert(FunctionLowering& lowering, const Instruction& instruction) {
  const Type to = instruction.modifiers.types[0], from = instruction.modifiers.types[1];
  if ((to == Type::F16x2 || to == Type::BF16x2) && from == Type::F32) {
    return two_floats_to_halves(lowering, instruction, to);
  }
  if (to == Type::TF32) return float_to_tf32(lowering, instruction);
  if (to == Type::E4M3x2 || to == Type::E5M2x2) return to_bytes(lowering, instruction, to);
  if (to == Type::F16x2 && (from == Type::E4M3x2 || from == Type::E5M2x2)) {
    return from_bytes(lowering, instruction, from);
  }
  return emit_narrow_convert(lowering, instruction);
}

}  // namespace pycuda::cpu::lower
