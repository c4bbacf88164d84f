// SPDX-License-Identifier: MIT
// Video instructions: arithmetic on bytes and halves picked from 32-bit registers, alone or two or
// four at once.
#include <llvm/IR/Intrinsics.h>

#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Selector;
using ptx::Type;

/// What one lane computes, whatever the number of lanes.
enum class LaneOp {
  None,
  Add,
  Sub,
  AbsoluteDifference,
  Min,
  Max,
  Average,
  ShiftLeft,
  ShiftRight,
  Compare,
  MultiplyAdd
};

struct Shape {
  LaneOp op = LaneOp::None;
  unsigned lanes = 1;
};

Shape shape_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::vadd:
      return {LaneOp::Add, 1};
    case Opcode::vadd2:
      return {LaneOp::Add, 2};
    case Opcode::vadd4:
      return {LaneOp::Add, 4};
    case Opcode::vsub:
      return {LaneOp::Sub, 1};
    case Opcode::vsub2:
      return {LaneOp::Sub, 2};
    case Opcode::vsub4:
      return {LaneOp::Sub, 4};
    case Opcode::vabsdiff:
      return {LaneOp::AbsoluteDifference, 1};
    case Opcode::vabsdiff2:
      return {LaneOp::AbsoluteDifference, 2};
    case Opcode::vabsdiff4:
      return {LaneOp::AbsoluteDifference, 4};
    case Opcode::vmin:
      return {LaneOp::Min, 1};
    case Opcode::vmin2:
      return {LaneOp::Min, 2};
    case Opcode::vmin4:
      return {LaneOp::Min, 4};
    case Opcode::vmax:
      return {LaneOp::Max, 1};
    case Opcode::vmax2:
      return {LaneOp::Max, 2};
    case Opcode::vmax4:
      return {LaneOp::Max, 4};
    case Opcode::vavrg2:
      return {LaneOp::Average, 2};
    case Opcode::vavrg4:
      return {LaneOp::Average, 4};
    case Opcode::vset:
      return {LaneOp::Compare, 1};
    case Opcode::vset2:
      return {LaneOp::Compare, 2};
    case Opcode::vset4:
      return {LaneOp::Compare, 4};
    case Opcode::vmad:
      return {LaneOp::MultiplyAdd, 1};
    case Opcode::vshl:
      return {LaneOp::ShiftLeft, 1};
    case Opcode::vshr:
      return {LaneOp::ShiftRight, 1};
    default:
      return {};
  }
}

/// Lanes are computed in 64 bits, where nothing overflows.
class VideoEmitter {
 public:
  VideoEmitter(FunctionLowering& lowering, const Instruction& instruction)
      : lowering_(lowering), b_(lowering.builder()), instruction_(instruction) {}

  bool emit(const Shape& shape) {
    const auto& types = instruction_.modifiers.types;
    const std::size_t expected = shape.op == LaneOp::Compare ? 2 : 3;
    if (types.size() != expected || instruction_.operands.size() < 3) return false;
    for (const Type type : types) {
      if (type != Type::U32 && type != Type::S32) return false;
    }
    if (!selectors_fit(shape)) return false;
    if (shape.op == LaneOp::MultiplyAdd) return emit_multiply_add();
    return shape.lanes == 1 ? emit_scalar(shape.op) : emit_lanes(shape);
  }

 private:
  /// Whether every selector names parts that are there: of its register, or for lanes of the pair
  /// {b, a}.
  bool selectors_fit(const Shape& shape) const {
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
      const Selector& selector = instruction_.operands[i].selector;
      if (selector.unit == Selector::Unit::None) continue;
      const unsigned bits = selector.unit == Selector::Unit::Byte ? 8 : 16;
      const bool source_lane = shape.lanes > 1 && i > 0;
      if (shape.lanes > 1 ? bits != 32 / shape.lanes : selector.count != 1) return false;
      for (unsigned part = 0; part < selector.count; ++part) {
        if (bits * selector.indices[part] >= (source_lane ? 64u : 32u)) return false;
      }
    }
    return true;
  }

  /// vset has no type for its result, which is 0 or 1.
  Type result_type() const {
    const auto& types = instruction_.modifiers.types;
    return types.size() == 3 ? types[0] : Type::U32;
  }
  Type left_type() const { return *(instruction_.modifiers.types.end() - 2); }
  Type right_type() const { return instruction_.modifiers.types.back(); }

  Value* extended(Value* value, unsigned bits, Type type) {
    value = b_.CreateTrunc(value, b_.getIntNTy(bits));
    return ptx::is_signed(type) ? b_.CreateSExt(value, b_.getInt64Ty())
                                : b_.CreateZExt(value, b_.getInt64Ty());
  }

  /// The operand as a number: the whole register, or the byte or half that its selector names.
  Value* picked(const ptx::Operand& operand, Type type) {
    Value* whole = lowering_.read_bits(operand, 32);
    if (operand.selector.unit == Selector::Unit::None) return extended(whole, 32, type);
    const unsigned bits = operand.selector.unit == Selector::Unit::Byte ? 8 : 16;
    return extended(b_.CreateLShr(whole, std::uint64_t{bits} * operand.selector.indices[0]), bits,
                    type);
  }

  Value* smaller(Value* a, Value* b) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
  }
  Value* larger(Value* a, Value* b) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b);
  }

  Value* compute(LaneOp op, Value* a, Value* b) {
    switch (op) {
      case LaneOp::Add:
        return b_.CreateAdd(a, b);
      case LaneOp::Sub:
        return b_.CreateSub(a, b);
      case LaneOp::AbsoluteDifference:
        return b_.CreateSub(larger(a, b), smaller(a, b));
      case LaneOp::Min:
        return smaller(a, b);
      case LaneOp::Max:
        return larger(a, b);
      case LaneOp::Average: {
        // Half of the sum, rounded away from zero.
        Value* sum = b_.CreateAdd(a, b);
        Value* up = b_.CreateZExt(b_.CreateICmpSGE(sum, b_.getInt64(0)), b_.getInt64Ty());
        return b_.CreateAShr(b_.CreateAdd(sum, up), 1);
      }
      case LaneOp::ShiftLeft:
        return b_.CreateShl(a, b);
      case LaneOp::ShiftRight:
        return b_.CreateAShr(a, b);
      case LaneOp::Compare:
        return compare(a, b);
      case LaneOp::MultiplyAdd:
      case LaneOp::None:
        break;
    }
    return nullptr;
  }

  Value* compare(Value* a, Value* b) {
    llvm::CmpInst::Predicate predicate{};
    switch (instruction_.modifiers.compare) {
      case ptx::Compare::Eq:
        predicate = llvm::CmpInst::ICMP_EQ;
        break;
      case ptx::Compare::Ne:
        predicate = llvm::CmpInst::ICMP_NE;
        break;
      case ptx::Compare::Lt:
        predicate = llvm::CmpInst::ICMP_SLT;
        break;
      case ptx::Compare::Le:
        predicate = llvm::CmpInst::ICMP_SLE;
        break;
      case ptx::Compare::Gt:
        predicate = llvm::CmpInst::ICMP_SGT;
        break;
      case ptx::Compare::Ge:
        predicate = llvm::CmpInst::ICMP_SGE;
        break;
      default:
        return nullptr;
    }
    return b_.CreateZExt(b_.CreateICmp(predicate, a, b), b_.getInt64Ty());
  }

  /// vmad as hardware answers it: whole registers count as signed, whatever their types. Where both
  /// types are unsigned and nothing is negated, the sum is shifted and clamped as an unsigned one.
  bool emit_multiply_add() {
    const auto& operands = instruction_.operands;
    if (operands.size() != 4) return false;
    const ptx::Modifiers& modifiers = instruction_.modifiers;
    const bool negates_product = operands[1].negated != operands[2].negated;
    const bool negates_sum = operands[3].negated;
    const bool is_unsigned =
        left_type() == Type::U32 && right_type() == Type::U32 && !negates_product && !negates_sum;
    const auto factor = [&](const ptx::Operand& operand, Type type) {
      const bool is_whole = operand.selector.unit == Selector::Unit::None;
      return picked(operand, is_whole ? Type::S32 : type);
    };
    Value* sum = b_.CreateMul(factor(operands[1], left_type()), factor(operands[2], right_type()));
    if (negates_product) sum = b_.CreateNeg(sum);
    Value* added = factor(operands[3], Type::S32);
    sum = negates_sum ? b_.CreateSub(sum, added) : b_.CreateAdd(sum, added);
    if (modifiers.has("po")) sum = b_.CreateAdd(sum, b_.getInt64(1));
    const unsigned scale = modifiers.has("shr7") ? 7 : modifiers.has("shr15") ? 15 : 0;
    sum = is_unsigned ? b_.CreateLShr(sum, scale) : b_.CreateAShr(sum, scale);
    if (modifiers.sat) {
      sum = larger(sum, b_.getInt64(is_unsigned ? 0 : std::uint64_t{0} - 0x80000000u));
      sum = smaller(sum, b_.getInt64(is_unsigned ? 0xffffffffu : 0x7fffffffu));
    }
    lowering_.write(operands[0], b_.CreateTrunc(sum, b_.getInt32Ty()));
    return true;
  }

  /// .sat: clamps to the result's range; a 32-bit unsigned result only from below, as hardware
  /// does.
  Value* saturated(Value* value, unsigned bits) {
    if (!instruction_.modifiers.sat) return value;
    const bool is_signed = ptx::is_signed(result_type());
    const std::int64_t top =
        is_signed ? (std::int64_t{1} << (bits - 1)) - 1 : (std::int64_t{1} << bits) - 1;
    const std::int64_t bottom = is_signed ? -top - 1 : 0;
    value = larger(value, b_.getInt64(static_cast<std::uint64_t>(bottom)));
    if (bits == 32 && !is_signed) return value;
    return smaller(value, b_.getInt64(static_cast<std::uint64_t>(top)));
  }

  bool emit_scalar(LaneOp op) {
    const auto& operands = instruction_.operands;
    Value* a = picked(operands[1], left_type());
    Value* b = picked(operands[2], right_type());
    if (op == LaneOp::ShiftLeft || op == LaneOp::ShiftRight) {
      if (right_type() != Type::U32) return false;
      b = instruction_.modifiers.shift == ptx::ShiftMode::Wrap ? b_.CreateAnd(b, 31)
                                                               : smaller(b, b_.getInt64(32));
    }
    Value* value = compute(op, a, b);
    return value != nullptr && finish_scalar(value);
  }

  /// Saturation, then the second operation with c, or merging with c's other parts. A c that
  /// nothing is done with is not looked at.
  bool finish_scalar(Value* value) {
    const auto& operands = instruction_.operands;
    const Selector& part = operands[0].selector;
    const unsigned bits = part.unit == Selector::Unit::Byte   ? 8
                          : part.unit == Selector::Unit::Half ? 16
                                                              : 32;
    value = b_.CreateTrunc(saturated(value, bits), b_.getInt32Ty());
    if (operands.size() == 3) {
      if (bits != 32) return false;
      lowering_.write(operands[0], value);
      return true;
    }
    Value* c = lowering_.read_bits(operands[3], 32);
    if (bits != 32) {
      const unsigned shift = bits * part.indices[0];
      const auto mask = static_cast<std::uint32_t>(((std::uint64_t{1} << bits) - 1) << shift);
      value = b_.CreateOr(b_.CreateAnd(b_.CreateShl(value, shift), mask), b_.CreateAnd(c, ~mask));
      lowering_.write(operands[0], value);
      return true;
    }
    const bool is_signed = ptx::is_signed(result_type());
    if (instruction_.modifiers.has("add")) {
      value = b_.CreateAdd(value, c);
    } else if (instruction_.modifiers.has("min")) {
      value = b_.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin,
                                       value, c);
    } else if (instruction_.modifiers.has("max")) {
      value = b_.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax,
                                       value, c);
    }
    lowering_.write(operands[0], value);
    return true;
  }

  /// The field of {b, a} that the selector, or `fallback` without one, names for a lane.
  Value* lane_of(Value* both, const Selector& selector, unsigned lane, unsigned lanes,
                 unsigned fallback, Type type) {
    const unsigned bits = 32 / lanes;
    // Selectors are written with the highest lane first.
    const unsigned index = selector.unit == Selector::Unit::None
                               ? fallback + lane
                               : selector.indices[lanes - 1 - lane];
    return extended(b_.CreateLShr(both, std::uint64_t{bits} * index), bits, type);
  }

  bool emit_lanes(const Shape& shape) {
    const auto& operands = instruction_.operands;
    if (operands.size() != 4) return false;
    const unsigned bits = 32 / shape.lanes;
    for (const auto index : {1, 2}) {
      const Selector& selector = operands[static_cast<std::size_t>(index)].selector;
      if (selector.unit != Selector::Unit::None && selector.count != shape.lanes) return false;
    }
    Value* low = b_.CreateZExt(lowering_.read_bits(operands[1], 32), b_.getInt64Ty());
    Value* high = b_.CreateZExt(lowering_.read_bits(operands[2], 32), b_.getInt64Ty());
    Value* both = b_.CreateOr(low, b_.CreateShl(high, 32));
    Value* c = lowering_.read_bits(operands[3], 32);
    const bool adds = instruction_.modifiers.has("add");
    Value* result = c;
    for (unsigned lane = 0; lane < shape.lanes; ++lane) {
      if (!is_chosen(operands[0].selector, lane)) continue;
      Value* a = lane_of(both, operands[1].selector, lane, shape.lanes, 0, left_type());
      Value* b = lane_of(both, operands[2].selector, lane, shape.lanes, shape.lanes, right_type());
      Value* computed = compute(shape.op, a, b);
      if (computed == nullptr) return false;
      Value* value = saturated(computed, bits);
      if (adds) {
        result = b_.CreateAdd(result, b_.CreateTrunc(value, b_.getInt32Ty()));
        continue;
      }
      const std::uint64_t shift = std::uint64_t{bits} * lane;
      const auto mask = static_cast<std::uint32_t>(((std::uint64_t{1} << bits) - 1) << shift);
      Value* placed = b_.CreateShl(b_.CreateTrunc(value, b_.getInt32Ty()), shift);
      result = b_.CreateOr(b_.CreateAnd(placed, mask), b_.CreateAnd(result, ~mask));
    }
    lowering_.write(operands[0], result);
    return true;
  }

  /// Whether the destination's mask has a lane; without a mask all are chosen.
  static bool is_chosen(const Selector& mask, unsigned lane) {
    if (mask.unit == Selector::Unit::None) return true;
    for (unsigned i = 0; i < mask.count; ++i) {
      if (mask.indices[i] == lane) return true;
    }
    return false;
  }

  FunctionLowering& lowering_;
  llvm::IRBuilder<>& b_;
  const Instruction& instruction_;
};

}  // namespace

bool emit_video(FunctionLowering& lowering, const Instruction& instruction) {
  const Shape shape = shape_of(instruction.opcode);
  if (shape.op == LaneOp::None) return false;
  return VideoEmitter(lowering, instruction).emit(shape);
}

}  // namespace pycuda::cpu::lower
