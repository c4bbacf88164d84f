// SPDX-License-Identifier: MIT
// Float arithmetic on f16, bf16 (packed too), f32 and f64: add sub mul fma mad min max abs neg
// copysign, all roundings.
//
// f16 and bf16 are computed in f32 or f64 such that one rounding remains: sums and products of f16
// in f32 (24 bits are enough for rounding twice to be harmless), everything else in f64, inexact
// sums rounded to odd. Directed roundings of f32 go the same way, those of f64 are functions of the
// run time, unless the processor has them.
#include <llvm/IR/Intrinsics.h>

#include "cpu/lower/arith.h"
#include "cpu/lower/emitter.h"
#include "cpu/lower/extrema.h"
#include "cpu/lower/float_ops.h"
#include "cpu/lower/function_lowering.h"
#include "cpu/lower/pseudo.h"

namespace pycuda::cpu::lower {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Rounding;

bool is_directed(Rounding rounding) {
  return rounding == Rounding::Rz || rounding == Rounding::Rm || rounding == Rounding::Rp;
}

/// Emits one scalar operation; packed types take it once per part.
class FloatArith {
 public:
  FloatArith(FunctionLowering& lowering, const Instruction& instruction)
      : lowering_(lowering), b_(lowering.builder()), ops_(lowering), instruction_(instruction) {}

  /// Null when the form is not supported.
  Value* emit(llvm::ArrayRef<Value*> operands) {
    switch (instruction_.opcode) {
      case Opcode::add:
      case Opcode::sub:
      case Opcode::mul:
      case Opcode::fma:
      case Opcode::mad:
        return rounded(operands);
      case Opcode::min:
      case Opcode::max:
        return extremum(operands);
      case Opcode::abs:
      case Opcode::neg:
        return sign_operation(operands[0]);
      case Opcode::copysign:
        return copy_sign(operands[0], operands[1]);
      default:
        return nullptr;
    }
  }

 private:
  Value* rounded(llvm::ArrayRef<Value*> operands) {
    const ptx::Modifiers& modifiers = instruction_.modifiers;
    llvm::SmallVector<Value*, 3> in(operands);
    if (modifiers.ftz) {
      for (Value*& operand : in) operand = ops_.flush(operand);
    }
    llvm::Type* type = in[0]->getType();
    const bool to_nearest = !is_directed(modifiers.rounding);
    Value* result = nullptr;
    if (!to_nearest && is_rounded_by_processor(*type)) {
      result = rounded_sum(in);
    } else if (type->isDoubleTy()) {
      result = in_double(in);
    } else if (to_nearest && type->isFloatTy()) {
      result = in_float(in);
    } else if (to_nearest && type->isHalfTy() && in.size() == 2) {
      for (Value*& operand : in) operand = ops_.widen(operand, b_.getFloatTy());
      result = narrowed(nearest(in), type);
    } else {
      result = through_double(in, type);
    }
    if (modifiers.relu) return ops_.relu(result);
    return modifiers.sat ? ops_.saturate(result) : ops_.canonical(result);
  }

  bool is_rounded_by_processor(const llvm::Type& type) const {
    return lowering_.module().options().rounds_operations && !instruction_.modifiers.ftz &&
           (type.isFloatTy() || type.isDoubleTy());
  }

  /// By the processor, as a product and a sum of which one may do nothing.
  Value* rounded_sum(llvm::SmallVector<Value*, 3> in) {
    llvm::Type* type = in[0]->getType();
    const Rounding rounding = instruction_.modifiers.rounding;
    const char* way = rounding == Rounding::Rz ? "rz" : rounding == Rounding::Rm ? "rm" : "rp";
    if (instruction_.opcode == Opcode::mul) {
      // The zero that leaves zeros of either sign alone.
      in.push_back(ops_.constant(type, rounding == Rounding::Rm ? 0.0 : -0.0));
    } else if (instruction_.opcode == Opcode::sub) {
      // Not by a sign that is changed: a NaN keeps its own.
      in = {in[1], ops_.constant(type, -1.0), in[0]};
    } else if (in.size() == 2) {
      in.insert(in.begin() + 1, ops_.constant(type, 1.0));
    }
    return lowering_.pure_call(
        std::string(pseudo::rounded_sum_prefix) + way + (type->isDoubleTy() ? ".f64" : ".f32"),
        type, in);
  }

  Value* nearest(llvm::ArrayRef<Value*> in) {
    switch (instruction_.opcode) {
      case Opcode::add:
        return b_.CreateFAdd(in[0], in[1]);
      case Opcode::sub:
        return b_.CreateFSub(in[0], in[1]);
      case Opcode::mul:
        return b_.CreateFMul(in[0], in[1]);
      default:
        return ops_.fma(in[0], in[1], in[2]);
    }
  }

  /// f32 to nearest: the plain operation.
  Value* in_float(llvm::ArrayRef<Value*> in) {
    Value* result = nearest(in);
    if (!instruction_.modifiers.ftz) return result;
    // Sums of normal numbers that come out subnormal are exact.
    if (in.size() == 2 && instruction_.opcode != Opcode::mul) return ops_.flush(result);
    return ops_.flush_tiny_sum(result, in[0], in[1], in.size() == 3 ? in[2] : nullptr);
  }

  /// The one rounding of a wider result, and .ftz.
  Value* narrowed(Value* wide, llvm::Type* type) {
    Value* result = ops_.narrow(wide, type, instruction_.modifiers.rounding);
    return instruction_.modifiers.ftz
               ? ops_.flush_tiny(result, wide, instruction_.modifiers.rounding)
               : result;
  }

  Value* in_double(llvm::SmallVector<Value*, 3> in) {
    const Rounding rounding = instruction_.modifiers.rounding;
    if (!is_directed(rounding)) return nearest(in);
    const char* name = instruction_.opcode == Opcode::add   ? "pycuda_cpu_add_f64"
                       : instruction_.opcode == Opcode::sub ? "pycuda_cpu_sub_f64"
                       : instruction_.opcode == Opcode::mul ? "pycuda_cpu_mul_f64"
                                                            : "pycuda_cpu_fma_f64";
    in.push_back(b_.getInt32(static_cast<std::uint32_t>(rounding)));
    return lowering_.pure_call(name, b_.getDoubleTy(), in);
  }

  /// In f64, where products are exact and sums are rounded to odd; then one rounding to `type`.
  Value* through_double(llvm::SmallVector<Value*, 3> in, llvm::Type* type) {
    const Rounding rounding = instruction_.modifiers.rounding;
    for (Value*& operand : in) operand = ops_.widen(operand, b_.getDoubleTy());
    if (instruction_.opcode == Opcode::mul) return narrowed(b_.CreateFMul(in[0], in[1]), type);
    Value* left = in.size() == 3 ? b_.CreateFMul(in[0], in[1]) : in[0];
    Value* right = in.back();
    if (instruction_.opcode == Opcode::sub) right = b_.CreateFNeg(right);
    Value* result = narrowed(ops_.odd_sum(left, right), type);
    if (rounding != Rounding::Rm) return result;
    // Rounding down, a sum that is exactly zero is negative unless both its terms are positive.
    Value* zero = b_.CreateFCmpOEQ(b_.CreateFAdd(left, right), ops_.constant(b_.getDoubleTy(), 0));
    Value* negative = b_.CreateOr(ops_.sign_bit(left), ops_.sign_bit(right));
    Value* signed_zero = ops_.select(negative, ops_.constant(type, -0.0), ops_.constant(type, 0.0));
    return ops_.select(zero, signed_zero, result);
  }

  /// Of two numbers the smaller or larger, -0 below +0. A NaN loses against a number, or wins with
  /// .NaN.
  Value* extremum_of_two(Value* a, Value* b) {
    const bool minimum = instruction_.opcode == Opcode::min;
    const bool nan_wins = instruction_.modifiers.nan;
    if (a->getType()->isFloatTy() || a->getType()->isDoubleTy()) {
      const bool doubles = a->getType()->isDoubleTy();
      const char* name = minimum   ? doubles ? extremum::minimum_f64 : extremum::minimum_f32
                         : doubles ? extremum::maximum_f64
                                   : extremum::maximum_f32;
      Value* result = lowering_.pure_call(name, a->getType(), {a, b});
      if (!nan_wins) return result;
      result = b_.CreateSelect(ops_.is_nan(a), a, result);
      return b_.CreateSelect(ops_.is_nan(b), b, result);
    }
    Value* left = ops_.comparable(a);
    Value* right = ops_.comparable(b);
    Value* first = minimum ? b_.CreateFCmpOLT(left, right) : b_.CreateFCmpOGT(left, right);
    Value* result = ops_.select(first, a, b);
    // Equal numbers differ in the sign of zero at most.
    Value* merged = minimum ? b_.CreateOr(ops_.bits(a), ops_.bits(b))
                            : b_.CreateAnd(ops_.bits(a), ops_.bits(b));
    result =
        ops_.select(b_.CreateFCmpOEQ(left, right), ops_.from_bits(merged, a->getType()), result);
    result = ops_.select(ops_.is_nan(nan_wins ? a : b), a, result);
    return ops_.select(ops_.is_nan(nan_wins ? b : a), b, result);
  }

  Value* extremum(llvm::ArrayRef<Value*> operands) {
    const ptx::Modifiers& modifiers = instruction_.modifiers;
    llvm::SmallVector<Value*, 3> in(operands);
    if (modifiers.ftz) {
      for (Value*& operand : in) operand = ops_.flush(operand);
    }
    Value* sign = nullptr;
    if (modifiers.xorsign_abs) {
      if (in.size() != 2) return nullptr;
      sign = b_.CreateXor(ops_.bits(in[0]), ops_.bits(in[1]));
      for (Value*& operand : in) operand = ops_.absolute(operand);
    }
    Value* result = in[0];
    for (std::size_t i = 1; i < in.size(); ++i) result = extremum_of_two(result, in[i]);
    Value* nan = ops_.is_nan(result);
    if (result->getType()->isDoubleTy()) {
      result = b_.CreateSelect(nan, ops_.quiet(result), result);
    } else {
      result = ops_.canonical(result);
    }
    if (sign == nullptr) return result;
    Value* raw = ops_.bits(result);
    const unsigned width = raw->getType()->getIntegerBitWidth();
    Value* sign_only = b_.CreateAnd(sign, b_.getInt(llvm::APInt::getSignMask(width)));
    Value* with_sign = ops_.from_bits(b_.CreateOr(raw, sign_only), result->getType());
    return ops_.select(nan, result, with_sign);
  }

  /// abs and neg are arithmetic: they quiet NaNs and leave a NaN's sign.
  Value* sign_operation(Value* value) {
    if (instruction_.modifiers.ftz) value = ops_.flush(value);
    Value* result = instruction_.opcode == Opcode::abs ? ops_.absolute(value) : ops_.negate(value);
    llvm::Type* type = value->getType();
    if (type->isBFloatTy() || type->isFloatTy() || type->isHalfTy()) return ops_.canonical(result);
    return b_.CreateSelect(ops_.is_nan(value), ops_.quiet(value), result);
  }

  /// The first operand's sign on the second one's magnitude: bits alone.
  Value* copy_sign(Value* sign, Value* magnitude) {
    Value* raw = ops_.bits(sign);
    const llvm::APInt mask = llvm::APInt::getSignMask(raw->getType()->getIntegerBitWidth());
    Value* merged = b_.CreateOr(b_.CreateAnd(raw, b_.getInt(mask)),
                                b_.CreateAnd(ops_.bits(magnitude), b_.getInt(~mask)));
    return ops_.from_bits(merged, magnitude->getType());
  }

  FunctionLowering& lowering_;
  llvm::IRBuilder<>& b_;
  FloatOps ops_;
  const Instruction& instruction_;
};

std::size_t operand_count(Opcode opcode) {
  switch (opcode) {
    case Opcode::abs:
    case Opcode::neg:
      return 1;
    case Opcode::fma:
    case Opcode::mad:
      return 3;
    default:
      return 2;
  }
}

}  // namespace

bool emit_float_arith(FunctionLowering& lowering, const Instruction& instruction) {
  if (instruction.opcode == Opcode::div) {
    const bool approximate = instruction.modifiers.approx || instruction.modifiers.full;
    return approximate ? emit_math(lowering, instruction)
                       : emit_rounded_quotient(lowering, instruction);
  }
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const ptx::Type type = modifiers.type();
  // Mixed precision (add.f32.f16) and the 8-bit and tf32 types have other rules.
  if (modifiers.types.size() != 1 || ptx::bits_of(type) < 16 || type == ptx::Type::TF32)
    return false;
  if (type == ptx::Type::E4M3x2 || type == ptx::Type::E5M2x2) return false;
  if (modifiers.rounding > Rounding::Rp) return false;
  const bool extremum = instruction.opcode == Opcode::min || instruction.opcode == Opcode::max;
  std::size_t count = operand_count(instruction.opcode);
  if (extremum && instruction.operands.size() == 4) count = 3;
  if (instruction.operands.size() != count + 1) return false;

  llvm::IRBuilder<>& b = lowering.builder();
  FloatArith arith(lowering, instruction);
  llvm::SmallVector<Value*, 3> operands;
  for (std::size_t i = 1; i <= count; ++i)
    operands.push_back(lowering.read(instruction.operands[i], type));
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(operands[0]->getType());
  if (vector == nullptr) {
    Value* result = arith.emit(operands);
    if (result == nullptr) return false;
    lowering.write(instruction.operands[0], result);
    return true;
  }
  Value* result = llvm::PoisonValue::get(vector);
  for (unsigned part = 0; part < vector->getNumElements(); ++part) {
    llvm::SmallVector<Value*, 3> parts;
    for (Value* operand : operands) parts.push_back(b.CreateExtractElement(operand, part));
    Value* value = arith.emit(parts);
    if (value == nullptr) return false;
    result = b.CreateInsertElement(result, value, part);
  }
  lowering.write(instruction.operands[0], result);
  return true;
}

bool emit_rounded_quotient(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  FloatOps ops(lowering);
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const ptx::Type type = modifiers.type();
  if (type != ptx::Type::F32 && type != ptx::Type::F64) return false;
  const Rounding rounding = modifiers.rounding;
  if (rounding != Rounding::Rn && !is_directed(rounding)) return false;
  const bool is_div = instruction.opcode == Opcode::div;
  const bool is_root = instruction.opcode == Opcode::sqrt;
  if (instruction.operands.size() != (is_div ? 3u : 2u)) return false;

  Value* left = lowering.read(instruction.operands[1], type);
  Value* right = is_div ? lowering.read(instruction.operands[2], type) : left;
  if (modifiers.ftz) {
    left = ops.flush(left);
    right = ops.flush(right);
  }
  if (!is_div && !is_root) left = ops.constant(right->getType(), 1.0);
  Value* result = nullptr;
  Value* exact = nullptr;  ///< where its rounding to odd is known
  if (type == ptx::Type::F64) {
    Value* mode = b.getInt32(static_cast<std::uint32_t>(rounding));
    if (!is_directed(rounding)) {
      result = is_root ? ops.intrinsic(llvm::Intrinsic::sqrt, left) : b.CreateFDiv(left, right);
    } else if (is_root) {
      result = lowering.pure_call("pycuda_cpu_sqrt_f64", b.getDoubleTy(), {left, mode});
    } else {
      result = lowering.pure_call("pycuda_cpu_div_f64", b.getDoubleTy(), {left, right, mode});
    }
  } else if (!is_directed(rounding)) {
    result = is_root ? ops.intrinsic(llvm::Intrinsic::sqrt, left) : b.CreateFDiv(left, right);
  } else {
    left = ops.widen(left, b.getDoubleTy());
    right = ops.widen(right, b.getDoubleTy());
    exact = is_root ? ops.odd_root(left) : ops.odd_quotient(left, right);
    result = ops.narrow(exact, b.getFloatTy(), rounding);
  }
  if (modifiers.ftz) {
    result = exact != nullptr ? ops.flush_tiny(result, exact, rounding)
             : is_div         ? ops.flush_tiny_quotient(result, left, right)
                              : ops.flush(result);
  }
  lowering.write(instruction.operands[0], ops.canonical(result));
  return true;
}

}  // namespace pycuda::cpu::lower
