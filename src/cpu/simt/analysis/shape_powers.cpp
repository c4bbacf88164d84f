// SPDX-License-Identifier: MIT
// Shapes of numbers that stay between two multiples of a power of two: comparisons with such a
// multiple and fields of bits come out alike in a whole row.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "cpu/simt/analysis/constant_division.h"
#include "cpu/simt/analysis/shape.h"
#include "cpu/simt/analysis/special_values.h"

namespace pycuda::cpu::simt {

using Bounds = Shape::Bounds;

namespace {

/// Whether `value` is 0 in every block that is one row.
bool is_zero_in_a_row(const llvm::Value& value, unsigned steps = 0) {
  constexpr unsigned most_steps = 4;
  if (const llvm::StringRef name = special_register(&value); !name.empty())
    return name == "tid.y" || name == "tid.z";
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction || steps == most_steps) return false;
  const auto operand = [&](unsigned index) {
    return is_zero_in_a_row(*instruction->getOperand(index), steps + 1);
  };
  switch (instruction->getOpcode()) {
    case llvm::Instruction::Mul:
      return operand(0) || operand(1);
    case llvm::Instruction::Add:
      return operand(0) && operand(1);
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt:
      return operand(0);
    default:
      return false;
  }
}

/// Whether a product is the number of threads in the rows before some row of its block.
bool is_row_start(const llvm::Instruction& product) {
  for (unsigned i = 0; i < 2; ++i) {
    if (special_register(product.getOperand(i)) == "ntid.x" &&
        is_zero_in_a_row(*product.getOperand(1 - i)))
      return true;
  }
  return false;
}

}  // namespace

/// A power of two that divides the value in each row's first lane: gangs begin at multiples of
/// their width.
std::uint64_t Shapes::alignment_of(const llvm::Value& value, unsigned steps) const {
  constexpr unsigned most_steps = 6;
  constexpr std::uint64_t most = std::uint64_t{1} << 31;
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&value))
    return number->isZero() ? most
                            : std::uint64_t{1} << std::min(number->getValue().countr_zero(), 31u);
  if (const llvm::StringRef name = special_register(&value); !name.empty())
    return name == "tid.x" || (name == "ntid.x" && whole_rows_) ? size_.columns
           : name == "laneid"                                   ? most
                                                                : 1;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction || steps == most_steps) return 1;
  if (const Shape shape = of(&value); shape.bounds == Bounds{0, 0}) return most;
  const auto operand = [&](unsigned index) {
    return alignment_of(*instruction->getOperand(index), steps + 1);
  };
  switch (instruction->getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Or:
      return std::min(operand(0), operand(1));
    case llvm::Instruction::Mul:
      if (warps_ && !in_line_ && is_row_start(*instruction)) return size_.columns;
      return std::min(operand(0) * operand(1), most);
    case llvm::Instruction::Shl:
      if (const auto* by = llvm::dyn_cast<llvm::ConstantInt>(instruction->getOperand(1)))
        return std::min(operand(0) << std::min<std::uint64_t>(by->getZExtValue(), 31), most);
      return operand(0);
    case llvm::Instruction::And:
      return std::max(operand(0), operand(1));
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::Trunc:
      return operand(0);
    default:
      return 1;
  }
}

/// Whether all values of a row lie between the same two multiples of `size`, a power of two.
bool Shapes::stays_within(const llvm::Value& value, const Shape& shape, std::uint64_t size) const {
  return shape.is_affine() && shape.stride > 0 &&
         shape.stride < std::numeric_limits<std::int32_t>::max() &&
         static_cast<std::uint64_t>(shape.stride) * (size_.columns - 1) <
             std::min(size, alignment_of(value));
}

/// Comparisons of numbers that lie between two multiples of a power of two with one of them.
Shape Shapes::of_compare(const llvm::ICmpInst& compare) const {
  if (const Shape shape = of_operands(compare); !shape.is_varying()) return shape;
  const llvm::Value& left = *compare.getOperand(0);
  const auto* right = llvm::dyn_cast<llvm::ConstantInt>(compare.getOperand(1));
  if (!right || right->getBitWidth() > 64) return Shape::varying();
  llvm::APInt limit = right->getValue();
  switch (compare.getPredicate()) {
    case llvm::CmpInst::ICMP_ULE:
    case llvm::CmpInst::ICMP_UGT:
    case llvm::CmpInst::ICMP_SLE:
    case llvm::CmpInst::ICMP_SGT:
      ++limit;
      break;
    case llvm::CmpInst::ICMP_EQ:
    case llvm::CmpInst::ICMP_NE:
      return Shape::varying();
    default:
      break;
  }
  // Half of all numbers are negative: no comparison tells more of them together.
  const unsigned zeros = std::min({limit.countr_zero(), limit.getBitWidth() - 1, 31u});
  const Shape shape = of(&left);
  return stays_within(left, shape, std::uint64_t{1} << zeros)
             ? Shape::affine(0, std::nullopt, shape.by_row)
             : Shape::varying();
}

/// A number divided by a power of two: what stays between two multiples of it has one quotient, and
/// remainders that rise by one from lane to lane.
std::optional<Shape> Shapes::of_division(const llvm::BinaryOperator& operation,
                                         const Shape& left) const {
  constexpr unsigned most_bits = 62;
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
  if (!constant || constant->getBitWidth() > 64) return std::nullopt;
  const bool is_positive = left.bounds && left.bounds->low >= 0;
  bool is_remainder = false;
  unsigned bits = 0;
  switch (operation.getOpcode()) {
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
      if (constant->getValue().ugt(most_bits)) return std::nullopt;
      bits = static_cast<unsigned>(constant->getZExtValue());
      break;
    case llvm::Instruction::SRem:
    case llvm::Instruction::URem:
      is_remainder = true;
      [[fallthrough]];
    default:
      if (!constant->getValue().isPowerOf2() || constant->isNegative()) return std::nullopt;
      bits = constant->getValue().logBase2();
      // Signed division rounds towards zero.
      if (!is_positive && (operation.getOpcode() == llvm::Instruction::SDiv ||
                           operation.getOpcode() == llvm::Instruction::SRem))
        return std::nullopt;
  }
  if (bits > most_bits) return std::nullopt;
  const std::optional<Bounds> quotients =
      is_positive ? std::optional(Bounds{left.bounds->low >> bits, left.bounds->high >> bits})
                  : std::nullopt;
  // Such as the sign of what is never negative.
  const bool is_same = quotients && quotients->low == quotients->high;
  if (!is_same &&
      (bits > 30 || !stays_within(*operation.getOperand(0), left, std::uint64_t{1} << bits)))
    return std::nullopt;
  if (!is_remainder) return Shape::affine(0, quotients, left.by_row && !is_same);
  return Shape::affine(left.stride, Bounds{0, (std::int64_t{1} << bits) - 1}, left.by_row);
}

/// A guess: the lanes of a row have one quotient.
Shape Shapes::of_agreed_division(const llvm::BinaryOperator& operation) const {
  constexpr std::int64_t largest_stride = 1 << 20;
  const Shape dividend = of(operation.getOperand(0));
  if (!dividend.is_affine() || std::abs(dividend.stride) > largest_stride) return Shape::varying();
  const auto division = constant_division(operation);
  const auto span = static_cast<std::uint64_t>(std::abs(dividend.stride)) * (size_.columns - 1);
  if (!division || !division->agrees_as_a_rule(span)) return Shape::varying();
  return Shape::affine(division->is_remainder ? dividend.stride : 0, std::nullopt, dividend.by_row);
}

/// Bits of a number: the upper ones are the same in a whole row that stays between two multiples of
/// the lowest, and where all below that one are zero, a field behaves as if it began at the bottom.
Shape Shapes::of_mask(const llvm::BinaryOperator& operation, const Shape& left,
                      const llvm::APInt& mask) const {
  const llvm::Value& value = *operation.getOperand(0);
  const unsigned low = mask.countr_zero(), top = low + mask.lshr(low).countr_one();
  constexpr unsigned most_bits = 30;
  if (low >= most_bits) return Shape::varying();
  const bool is_positive = left.bounds && left.bounds->low >= 0;
  const std::uint64_t unit = std::uint64_t{1} << low;
  if (stays_within(value, left, unit))
    return Shape::affine(
        0, is_positive ? std::optional(Bounds{0, left.bounds->high}) : std::nullopt, left.by_row);
  if (mask.isShiftedMask() && top < most_bits &&
      static_cast<std::uint64_t>(left.stride) % unit == 0 && alignment_of(value) >= unit &&
      stays_within(value, left, std::uint64_t{1} << top))
    return Shape::affine(left.stride, Bounds{0, mask.getSExtValue()}, left.by_row);
  return Shape::varying();
}

}  // namespace pycuda::cpu::simt
