// SPDX-License-Identifier: MIT
// Comparisons and selections: setp set selp slct testp.
#include <optional>

#include "cpu/lower/emitter.h"
#include "cpu/lower/float_ops.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {
namespace {

using llvm::CmpInst;
using llvm::Value;
using ptx::Compare;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

std::optional<CmpInst::Predicate> int_predicate(Compare compare, Type type) {
  const bool is_signed = ptx::is_signed(type);
  switch (compare) {
    case Compare::Eq:
      return CmpInst::ICMP_EQ;
    case Compare::Ne:
      return CmpInst::ICMP_NE;
    default:
      break;
  }
  if (ptx::is_untyped(type)) return std::nullopt;
  switch (compare) {
    case Compare::Lt:
      return is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT;
    case Compare::Le:
      return is_signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE;
    case Compare::Gt:
      return is_signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT;
    case Compare::Ge:
      return is_signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE;
    case Compare::Lo:
      return CmpInst::ICMP_ULT;
    case Compare::Ls:
      return CmpInst::ICMP_ULE;
    case Compare::Hi:
      return CmpInst::ICMP_UGT;
    case Compare::Hs:
      return CmpInst::ICMP_UGE;
    default:
      return std::nullopt;
  }
}

std::optional<CmpInst::Predicate> float_predicate(Compare compare) {
  switch (compare) {
    case Compare::Eq:
      return CmpInst::FCMP_OEQ;
    case Compare::Ne:
      return CmpInst::FCMP_ONE;
    case Compare::Lt:
      return CmpInst::FCMP_OLT;
    case Compare::Le:
      return CmpInst::FCMP_OLE;
    case Compare::Gt:
      return CmpInst::FCMP_OGT;
    case Compare::Ge:
      return CmpInst::FCMP_OGE;
    case Compare::Equ:
      return CmpInst::FCMP_UEQ;
    case Compare::Neu:
      return CmpInst::FCMP_UNE;
    case Compare::Ltu:
      return CmpInst::FCMP_ULT;
    case Compare::Leu:
      return CmpInst::FCMP_ULE;
    case Compare::Gtu:
      return CmpInst::FCMP_UGT;
    case Compare::Geu:
      return CmpInst::FCMP_UGE;
    case Compare::Num:
      return CmpInst::FCMP_ORD;
    case Compare::Nan:
      return CmpInst::FCMP_UNO;
    default:
      return std::nullopt;
  }
}

/// The comparison of two scalars of a type, or null.
Value* compare_scalars(FunctionLowering& lowering, const ptx::Modifiers& modifiers, Type type,
                       Value* a, Value* b) {
  llvm::IRBuilder<>& builder = lowering.builder();
  if (!a->getType()->isFloatingPointTy()) {
    const auto predicate = int_predicate(modifiers.compare, type);
    return predicate ? builder.CreateICmp(*predicate, a, b) : nullptr;
  }
  const auto predicate = float_predicate(modifiers.compare);
  if (!predicate) return nullptr;
  FloatOps ops(lowering);
  if (modifiers.ftz) {
    a = ops.flush(a);
    b = ops.flush(b);
  }
  // Comparing widens exactly; LLVM has no native compare of the 16-bit formats on most machines.
  if (a->getType()->isHalfTy() || a->getType()->isBFloatTy()) {
    a = ops.widen(a, builder.getFloatTy());
    b = ops.widen(b, builder.getFloatTy());
  }
  return builder.CreateFCmp(*predicate, a, b);
}

/// One i1 per part: one for scalars, two for packed types. Empty when not supported.
llvm::SmallVector<Value*, 2> compare_parts(FunctionLowering& lowering,
                                           const ptx::Modifiers& modifiers, Type type,
                                           const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  Value* left = lowering.read(instruction.operands[1], type);
  Value* right = lowering.read(instruction.operands[2], type);
  llvm::SmallVector<Value*, 2> results;
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(left->getType());
  for (unsigned part = 0; part < (vector != nullptr ? vector->getNumElements() : 1); ++part) {
    Value* a = vector != nullptr ? b.CreateExtractElement(left, part) : left;
    Value* c = vector != nullptr ? b.CreateExtractElement(right, part) : right;
    Value* result = compare_scalars(lowering, modifiers, type, a, c);
    if (result == nullptr) return {};
    results.push_back(result);
  }
  return results;
}

/// `value` combined with the instruction's third operand, if it has one.
Value* combine(FunctionLowering& lowering, const Instruction& instruction, Value* value) {
  llvm::IRBuilder<>& b = lowering.builder();
  if (instruction.modifiers.bool_op == ptx::BoolOp::None) return value;
  Value* other = lowering.read(instruction.operands[3], Type::Pred);
  switch (instruction.modifiers.bool_op) {
    case ptx::BoolOp::And:
      return b.CreateAnd(value, other);
    case ptx::BoolOp::Or:
      return b.CreateOr(value, other);
    default:
      return b.CreateXor(value, other);
  }
}

bool emit_setp(FunctionLowering& lowering, const Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const auto results = compare_parts(lowering, modifiers, modifiers.type(), instruction);
  if (results.empty()) return false;
  const ptx::Operand& destination = instruction.operands[0];
  const bool pair = destination.kind == ptx::Operand::Kind::Pair;
  if (results.size() == 2 && !pair) return false;
  Value* first = combine(lowering, instruction, results[0]);
  Value* second = nullptr;
  if (pair) {
    // Packed types give one predicate per part; others the comparison and its complement.
    second = results.size() == 2 ? results[1] : lowering.builder().CreateNot(results[0]);
    second = combine(lowering, instruction, second);
  }
  lowering.write(pair ? destination.elements[0] : destination, first);
  if (pair) lowering.write(destination.elements[1], second);
  return true;
}

bool emit_set(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (modifiers.types.size() != 2) return false;
  const Type type = modifiers.types[0];
  auto results = compare_parts(lowering, modifiers, modifiers.types[1], instruction);
  if (results.empty()) return false;
  for (Value*& result : results) result = combine(lowering, instruction, result);
  if (results.size() == 1) {
    llvm::Type* target = lowering.type_of(type);
    Value* set = target->isFloatingPointTy() ? llvm::ConstantFP::get(target, 1.0)
                                             : llvm::Constant::getAllOnesValue(target);
    lowering.write(instruction.operands[0],
                   b.CreateSelect(results[0], set, llvm::Constant::getNullValue(target)),
                   ptx::is_signed(type));
    return true;
  }
  // Both answers of a packed comparison share 32 bits, as numbers or as masks.
  std::uint64_t set = 0xffff;
  if (type == Type::F16x2) set = 0x3c00;
  if (type == Type::BF16x2) set = 0x3f80;
  Value* packed = b.getInt32(0);
  for (unsigned part = 0; part < 2; ++part) {
    packed =
        b.CreateOr(packed, b.CreateSelect(results[part],
                                          b.getInt32(static_cast<std::uint32_t>(set << 16 * part)),
                                          b.getInt32(0)));
  }
  lowering.write(instruction.operands[0], packed);
  return true;
}

bool emit_select(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const unsigned bits = ptx::bits_of(modifiers.type());
  if (instruction.operands.size() != 4 || bits < 16) return false;
  Value* condition = nullptr;
  if (instruction.opcode == Opcode::selp) {
    condition = lowering.read(instruction.operands[3], Type::Pred);
  } else if (modifiers.types.size() == 2 && modifiers.types[1] == Type::S32) {
    condition = b.CreateICmpSGE(lowering.read(instruction.operands[3], Type::S32), b.getInt32(0));
  } else if (modifiers.types.size() == 2 && modifiers.types[1] == Type::F32) {
    FloatOps ops(lowering);
    Value* number = lowering.read(instruction.operands[3], Type::F32);
    condition = b.CreateFCmpOGE(modifiers.ftz ? ops.flush(number) : number,
                                ops.constant(b.getFloatTy(), 0.0));
  } else {
    return false;
  }
  // Read as the type first: literals of floats are converted, registers keep their bits.
  const auto operand = [&](std::size_t index) {
    return lowering.read(instruction.operands[index], modifiers.type());
  };
  lowering.write(instruction.operands[0], b.CreateSelect(condition, operand(1), operand(2)),
                 ptx::is_signed(modifiers.type()));
  return true;
}

bool emit_testp(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const Type type = instruction.modifiers.type();
  if (instruction.operands.size() != 2 || (type != Type::F32 && type != Type::F64)) return false;
  const unsigned width = ptx::bits_of(type);
  const std::uint64_t infinity = width == 32 ? 0x7f800000 : 0x7ff0000000000000;
  const std::uint64_t least_normal = width == 32 ? 0x00800000 : 0x0010000000000000;
  Value* magnitude = b.CreateAnd(lowering.read_bits(instruction.operands[1], width),
                                 b.getInt(llvm::APInt::getSignedMaxValue(width)));
  const auto number = [&](std::uint64_t n) { return b.getIntN(width, n); };
  Value* result = nullptr;
  switch (instruction.modifiers.property) {
    case ptx::TestProperty::Finite:
      result = b.CreateICmpULT(magnitude, number(infinity));
      break;
    case ptx::TestProperty::Infinite:
      result = b.CreateICmpEQ(magnitude, number(infinity));
      break;
    case ptx::TestProperty::Number:
      result = b.CreateICmpULE(magnitude, number(infinity));
      break;
    case ptx::TestProperty::NotANumber:
      result = b.CreateICmpUGT(magnitude, number(infinity));
      break;
    case ptx::TestProperty::Normal:  // zero counts as normal
      result = b.CreateOr(b.CreateICmpEQ(magnitude, number(0)),
                          b.CreateICmpUGE(magnitude, number(least_normal)));
      result = b.CreateAnd(result, b.CreateICmpULT(magnitude, number(infinity)));
      break;
    case ptx::TestProperty::Subnormal:
      result = b.CreateAnd(b.CreateICmpNE(magnitude, number(0)),
                           b.CreateICmpULT(magnitude, number(least_normal)));
      break;
    case ptx::TestProperty::None:
      return false;
  }
  lowering.write(instruction.operands[0], result);
  return true;
}

}  // namespace

bool emit_compare(FunctionLowering& lowering, const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::setp:
    case Opcode::set: {
      const std::size_t count = instruction.modifiers.bool_op == ptx::BoolOp::None ? 3 : 4;
      if (instruction.operands.size() != count) return false;
      return instruction.opcode == Opcode::setp ? emit_setp(lowering, instruction)
                                                : emit_set(lowering, instruction);
    }
    case Opcode::testp:
      return emit_testp(lowering, instruction);
    default:
      return emit_select(lowering, instruction);
  }
}

}  // namespace pycuda::cpu::lower
