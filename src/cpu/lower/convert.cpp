// SPDX-License-Identifier: MIT
// cvt: between integers, between floats, and across; the packed and 8-bit formats are in
// convert_packed.
#include "cpu/lower/convert.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "cpu/lower/emitter.h"
#include "cpu/lower/float_ops.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Rounding;
using ptx::Type;

bool is_integral_rounding(Rounding rounding) {
  return rounding == Rounding::Rni || rounding == Rounding::Rzi || rounding == Rounding::Rmi ||
         rounding == Rounding::Rpi;
}

/// A float rounded to an integral value of the same type.
Value* to_integral(FloatOps& ops, Value* value, Rounding rounding) {
  switch (rounding) {
    case Rounding::Rni:
      return ops.intrinsic(llvm::Intrinsic::roundeven, value);
    case Rounding::Rmi:
      return ops.intrinsic(llvm::Intrinsic::floor, value);
    case Rounding::Rpi:
      return ops.intrinsic(llvm::Intrinsic::ceil, value);
    default:
      return ops.intrinsic(llvm::Intrinsic::trunc, value);
  }
}

bool int_to_int(FunctionLowering& lowering, const Instruction& instruction, Type to, Type from) {
  llvm::IRBuilder<>& b = lowering.builder();
  const bool from_signed = ptx::is_signed(from), to_signed = ptx::is_signed(to);
  const unsigned to_bits = ptx::bits_of(to);
  const unsigned bits = std::max(to_bits, ptx::bits_of(from));
  Value* value = lowering.read(instruction.operands[1], from);
  value =
      from_signed ? b.CreateSExt(value, b.getIntNTy(bits)) : b.CreateZExt(value, b.getIntNTy(bits));
  if (instruction.modifiers.sat) {
    const llvm::APInt least =
        to_signed ? llvm::APInt::getSignedMinValue(to_bits).sext(bits) : llvm::APInt::getZero(bits);
    const llvm::APInt most =
        (to_signed ? llvm::APInt::getSignedMaxValue(to_bits) : llvm::APInt::getMaxValue(to_bits))
            .zext(bits);
    if (from_signed) value = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, b.getInt(least));
    // No signed number is above the most of an unsigned one that is as wide.
    if (!from_signed || !most.isNegative())
      value = b.CreateBinaryIntrinsic(from_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin,
                                      value, b.getInt(most));
  }
  lowering.write(instruction.operands[0], b.CreateTrunc(value, b.getIntNTy(to_bits)), to_signed);
  return true;
}

bool int_to_float(FunctionLowering& lowering, const Instruction& instruction, Type to, Type from) {
  llvm::IRBuilder<>& b = lowering.builder();
  FloatOps ops(lowering);
  const bool is_signed = ptx::is_signed(from);
  const Rounding rounding = instruction.modifiers.rounding;
  if (rounding == Rounding::None || rounding > Rounding::Rp) return false;
  Value* value = lowering.read(instruction.operands[1], from);
  llvm::Type* target = lowering.type_of(to);
  Value* result = nullptr;
  if (target->isDoubleTy() && rounding != Rounding::Rn && ptx::bits_of(from) == 64) {
    result = lowering.pure_call(is_signed ? "pycuda_cpu_f64_from_s64" : "pycuda_cpu_f64_from_u64",
                                target, {value, b.getInt32(static_cast<std::uint32_t>(rounding))});
  } else if (target->isDoubleTy() || (target->isFloatTy() && rounding == Rounding::Rn)) {
    result = is_signed ? b.CreateSIToFP(value, target) : b.CreateUIToFP(value, target);
  } else {
    result = ops.narrow(ops.odd_integer(value, is_signed), target, rounding);
  }
  if (instruction.modifiers.sat) result = ops.saturate(result);
  lowering.write(instruction.operands[0], result);
  return true;
}

/// Saturates always. NaN: 0 for at most 32 bits from f32 and narrower; else the number with only
/// its top bit set.
bool float_to_int(FunctionLowering& lowering, const Instruction& instruction, Type to, Type from) {
  llvm::IRBuilder<>& b = lowering.builder();
  FloatOps ops(lowering);
  const unsigned to_bits = ptx::bits_of(to);
  if (!is_integral_rounding(instruction.modifiers.rounding)) return false;
  Value* value = lowering.read(instruction.operands[1], from);
  if (instruction.modifiers.ftz) value = ops.flush(value);
  if (from != Type::F64) value = ops.widen(value, b.getFloatTy());
  llvm::Type* integer = b.getIntNTy(to_bits);
  Value* integral = to_integral(ops, value, instruction.modifiers.rounding);
  const auto convert =
      ptx::is_signed(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  Value* result = b.CreateIntrinsic(convert, {integer, value->getType()}, {integral});
  if (to_bits == 64 || from == Type::F64) {
    result = b.CreateSelect(ops.is_nan(value), b.getInt(llvm::APInt::getSignMask(to_bits)), result);
  }
  lowering.write(instruction.operands[0], result, ptx::is_signed(to));
  return true;
}

bool float_to_float(FunctionLowering& lowering, const Instruction& instruction, Type to,
                    Type from) {
  llvm::IRBuilder<>& b = lowering.builder();
  FloatOps ops(lowering);
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const Rounding rounding = modifiers.rounding;
  llvm::Type* target = lowering.type_of(to);
  Value* value = lowering.read(instruction.operands[1], from);
  if (rounding == Rounding::Rna || rounding == Rounding::Rs) return false;
  const bool widening = ptx::bits_of(to) > ptx::bits_of(from);
  if (modifiers.ftz && from == Type::F32) value = ops.canonical(ops.flush(value));
  Value* nan = ops.is_nan(value);
  Value* result = value;
  if (is_integral_rounding(rounding)) {
    if (to != from) return false;
    const bool narrow = to == Type::F16 || to == Type::BF16;
    Value* work = narrow ? ops.widen(value, b.getFloatTy()) : value;
    result = ops.narrow(to_integral(ops, work, rounding), target, Rounding::Rn);
  } else if (to != from && widening) {
    result = ops.widen(value, target);
  } else if (to != from) {
    if (rounding == Rounding::None) return false;
    const bool same_width = ptx::bits_of(to) == ptx::bits_of(from);  // f16 and bf16
    result = ops.narrow(same_width ? ops.widen(value, b.getFloatTy()) : value, target, rounding);
    if (modifiers.ftz && to == Type::F32) result = ops.flush_tiny(result, value, rounding);
  }
  if (modifiers.sat) {
    result = ops.saturate(result);
  } else if (modifiers.relu) {
    result = ops.relu(result);
    if (modifiers.satfinite) result = ops.finite(result);
  } else if (modifiers.satfinite) {
    result = ops.finite(ops.canonical(result));
  } else {
    // Moving bits unchanged and f64 on either side keep the payload (f64 arithmetic quiets it); the
    // rest is canonical.
    const bool moves_bits =
        (to == from && to != Type::F16 && !is_integral_rounding(rounding) && !modifiers.ftz) ||
        (to == Type::F32 && from == Type::BF16);
    if (!moves_bits && to != Type::F64 && from != Type::F64) result = ops.canonical(result);
    if (to == Type::F64 && from == Type::F64 && is_integral_rounding(rounding)) {
      result = b.CreateSelect(nan, ops.quiet(value), result);
    }
  }
  lowering.write(instruction.operands[0], result);
  return true;
}

bool is_plain_float(Type type) {
  return type == Type::F16 || type == Type::BF16 || type == Type::F32 || type == Type::F64;
}

bool is_integer(Type type) {
  return !ptx::is_float(type) && !ptx::is_untyped(type) && type <= Type::S64;
}

}  // namespace

bool emit_convert(FunctionLowering& lowering, const Instruction& instruction) {
  const auto& types = instruction.modifiers.types;
  if (instruction.modifiers.has("pack")) return emit_convert_pack(lowering, instruction);
  if (types.size() != 2 || instruction.operands.size() < 2) return false;
  const Type to = types[0], from = types[1];
  if (to == Type::None || to == Type::Pred || from == Type::Pred) return false;
  const bool plain = instruction.operands.size() == 2;
  if (plain && is_integer(to) && is_integer(from))
    return int_to_int(lowering, instruction, to, from);
  if (plain && is_integer(to) && is_plain_float(from))
    return float_to_int(lowering, instruction, to, from);
  if (plain && is_plain_float(to) && is_integer(from))
    return int_to_float(lowering, instruction, to, from);
  if (plain && is_plain_float(to) && is_plain_float(from))
    return float_to_float(lowering, instruction, to, from);
  return emit_packed_convert(lowering, instruction);
}

}  // namespace pycuda::cpu::lower
