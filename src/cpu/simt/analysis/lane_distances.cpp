// SPDX-License-Identifier: MIT
// Base and distances share no bits, mostly: then operations on bits do not mix them, and no sum
// carries from one to the other.
#include "cpu/simt/analysis/lane_distances.h"

#include <llvm/ADT/bit.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/KnownBits.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>

#include "cpu/simt/analysis/special_values.h"

namespace pycuda::cpu::simt {
namespace {

using Sum = LaneDistances::Sum;
using Distances = LaneDistances::Distances;

constexpr unsigned most_steps = 24;
constexpr std::uint64_t most_threads = 1024;

std::uint64_t low_bits(unsigned bits) { return llvm::maskTrailingOnes<std::uint64_t>(bits); }

unsigned bits_of(const llvm::Value& value) {
  if (value.getType()->isPointerTy()) return 64;
  return value.getType()->isIntegerTy() ? value.getType()->getIntegerBitWidth() : 0;
}

std::uint64_t used_bits(const Distances& value) {
  std::uint64_t used = 0;
  for (const std::uint64_t lane : value.lanes) used |= lane;
  return used;
}

bool share_no_bits(const Distances& value) { return (used_bits(value) & ~value.zeros) == 0; }

/// `sum` + factor * `other`, in the arithmetic of `bits`.
Sum add(const Sum& sum, const Sum& other, std::uint64_t factor, unsigned bits) {
  Sum result;
  auto left = sum.begin();
  auto right = other.begin();
  const auto put = [&](unsigned term, std::uint64_t by) {
    if ((by & low_bits(bits)) != 0) result.emplace_back(term, by & low_bits(bits));
  };
  while (left != sum.end() || right != other.end()) {
    if (right == other.end() || (left != sum.end() && left->first < right->first)) {
      put(left->first, left->second);
      ++left;
    } else if (left == sum.end() || right->first < left->first) {
      put(right->first, factor * right->second);
      ++right;
    } else {
      put(left->first, left->second + factor * right->second);
      ++left;
      ++right;
    }
  }
  return result;
}

/// The same value, with base and distances that share no bits; nothing if that takes a carry.
std::optional<Distances> without_carry(const Distances& value, unsigned one) {
  if (share_no_bits(value)) return value;
  const std::uint64_t low = low_bits(static_cast<unsigned>(llvm::countr_one(value.zeros)));
  const std::uint64_t common = value.lanes.front() & ~low;
  Distances result = value;
  for (std::uint64_t& lane : result.lanes) {
    if ((lane & ~low) != common) return std::nullopt;
    lane &= low;
  }
  result.base = add(value.base, {{one, 1}}, common, 64);
  result.zeros = low;
  return result;
}

std::uint64_t reversed(std::uint64_t value, unsigned bits) {
  return llvm::reverseBits<std::uint64_t>(value) >> (64 - bits);
}

template <class Change>
Distances changed(const Distances& from, Change change) {
  Distances result = from;
  for (std::uint64_t& lane : result.lanes) lane = change(lane);
  return result;
}

/// left + factor * right.
Distances sum_of(const Distances& left, const Distances& right, std::uint64_t factor,
                 unsigned bits) {
  Distances result;
  result.base = add(left.base, right.base, factor, bits);
  for (std::size_t lane = 0; lane < left.lanes.size(); ++lane)
    result.lanes.push_back((left.lanes[lane] + factor * right.lanes[lane]) & low_bits(bits));
  if (right.base.empty()) {
    result.zeros = left.zeros;
  } else {
    const unsigned own = static_cast<unsigned>(llvm::countr_one(left.zeros));
    const unsigned others =
        static_cast<unsigned>(llvm::countr_one(right.zeros) + llvm::countr_zero(factor));
    result.zeros = left.base.empty() && factor == 1
                       ? right.zeros
                       : low_bits(std::min({left.base.empty() ? bits : own, others, bits}));
  }
  return result;
}

}  // namespace

unsigned LaneDistances::term(const Term& term) {
  return terms_.try_emplace(term, static_cast<unsigned>(terms_.size())).first->second;
}

/// What an operation makes of a base: nothing more is known of it than what it is made of.
LaneDistances::Sum LaneDistances::made_of(const llvm::Instruction& instruction,
                                          std::uint64_t constant, const Sum& base) {
  if (base.empty()) return {};
  const unsigned operation = (instruction.getOpcode() << 8 | bits_of(instruction)) + 1;
  return {{term({operation, constant, nullptr, base}), 1}};
}

LaneDistances::Distances LaneDistances::constant(std::uint64_t value) const {
  return {{}, std::vector<std::uint64_t>(size_.lanes(), value), ~std::uint64_t{0}};
}

const LaneDistances::Distances* LaneDistances::find(const llvm::Value& value, unsigned steps) {
  const unsigned bits = bits_of(value);
  if (size_.is_tile() || bits == 0 || bits > 64) return nullptr;
  auto found = known_.find(&value);
  if (found == known_.end()) found = known_.emplace(&value, evaluate(value, steps)).first;
  return found->second ? &*found->second : nullptr;
}

std::optional<LaneDistances::Distances> LaneDistances::evaluate(const llvm::Value& value,
                                                                unsigned steps) {
  const unsigned bits = bits_of(value);
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&value))
    return constant(number->getZExtValue());
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (special_register(&value) == "tid.x") {
    const llvm::Function* callee = llvm::cast<llvm::CallInst>(value).getCalledFunction();
    Distances number{{{term({0, 0, callee, {}}), 1}}, {}, 0};
    for (unsigned lane = 0; lane < size_.lanes(); ++lane) number.lanes.push_back(lane);
    number.zeros = llvm::computeKnownBits(&value, layout_).Zero.getZExtValue() |
                   (size_.columns - std::uint64_t{1}) | ~(most_threads - 1);
    return number;
  }
  if (instruction && steps < most_steps) {
    std::optional<Distances> found =
        llvm::isa<llvm::GetElementPtrInst>(instruction)
            ? of_address(llvm::cast<llvm::GetElementPtrInst>(*instruction), steps)
            : of_operation(*instruction, steps);
    if (found) {
      found->zeros |= ~low_bits(bits);
      if (found->zeros == ~std::uint64_t{0}) found->base.clear();
      return found;
    }
  }
  return of_shape(value);
}

/// What the shape says, where nothing is known of how the value is made.
std::optional<LaneDistances::Distances> LaneDistances::of_shape(const llvm::Value& value) {
  const Shape shape = shapes_.of(&value);
  const unsigned bits = bits_of(value);
  if (shape.is_varying()) return std::nullopt;
  Distances result{{{term({0, 0, &value, {}}), 1}}, {}, ~low_bits(bits)};
  for (unsigned lane = 0; lane < size_.lanes(); ++lane)
    result.lanes.push_back(static_cast<std::uint64_t>(shape.stride) * lane & low_bits(bits));
  if (shape.is_uniform())
    result.zeros |= llvm::computeKnownBits(&value, layout_).Zero.getZExtValue();
  return result;
}

std::optional<LaneDistances::Distances> LaneDistances::extended(const Distances& whole,
                                                                unsigned bits, bool is_signed,
                                                                const llvm::Instruction& by) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  // The base's and each lane's largest values: together they may stay in range.
  const std::uint64_t most = ~whole.zeros & low_bits(bits);
  const std::uint64_t limit = is_signed ? sign - 1 : low_bits(bits);
  if (most <= limit && used_bits(whole) <= limit - most) {
    Distances result = whole;
    result.base = made_of(by, bits | (is_signed ? 128U : 0U), whole.base);
    result.zeros |= ~low_bits(bits);
    return result;
  }
  const std::optional<Distances> narrow = without_carry(whole, one());
  if (!narrow || (is_signed && (used_bits(*narrow) & sign) != 0)) return std::nullopt;
  Distances result = *narrow;
  result.base = made_of(by, bits | (is_signed ? 128U : 0U), narrow->base);
  result.zeros &= low_bits(bits);
  if (!is_signed || (result.zeros & sign) != 0) result.zeros |= ~low_bits(bits);
  return result;
}

std::optional<LaneDistances::Distances> LaneDistances::of_operation(
    const llvm::Instruction& instruction, unsigned steps) {
  const auto operand = [&](unsigned index) -> std::optional<Distances> {
    const Distances* found = find(*instruction.getOperand(index), steps + 1);
    return found ? std::optional(*found) : std::nullopt;
  };
  const auto parted = [&](unsigned index) -> std::optional<Distances> {
    const Distances* found = find(*instruction.getOperand(index), steps + 1);
    return found ? without_carry(*found, one()) : std::nullopt;
  };
  const unsigned bits = bits_of(instruction);
  const auto* number = instruction.getNumOperands() > 1
                           ? llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1))
                           : nullptr;
  const std::uint64_t by = number ? number->getZExtValue() : 0;
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    if (call->getIntrinsicID() != llvm::Intrinsic::bitreverse) return std::nullopt;
    const auto from = parted(0);
    if (!from) return std::nullopt;
    Distances result = changed(*from, [&](std::uint64_t lane) { return reversed(lane, bits); });
    result.base = made_of(instruction, 0, from->base);
    result.zeros = reversed(from->zeros & low_bits(bits), bits);
    return result;
  }
  switch (instruction.getOpcode()) {
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::PtrToInt:
      return bits_of(*instruction.getOperand(0)) == bits ? operand(0) : std::nullopt;
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt: {
      const auto from = operand(0);
      if (!from) return std::nullopt;
      return extended(*from, bits_of(*instruction.getOperand(0)),
                      llvm::isa<llvm::SExtInst>(instruction), instruction);
    }
    case llvm::Instruction::Trunc: {
      const auto from = operand(0);
      if (!from || bits_of(*instruction.getOperand(0)) == 0) return std::nullopt;
      Distances result = changed(*from, [&](std::uint64_t lane) { return lane & low_bits(bits); });
      result.base = made_of(instruction, 0, from->base);
      return result;
    }
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub: {
      const auto left = operand(0), right = operand(1);
      if (!left || !right) return std::nullopt;
      const bool adds = instruction.getOpcode() == llvm::Instruction::Add;
      return sum_of(*left, *right, adds ? 1 : ~std::uint64_t{0}, bits);
    }
    case llvm::Instruction::Or: {
      const auto left = operand(0), right = operand(1);
      if (!left || !right || !llvm::cast<llvm::PossiblyDisjointInst>(instruction).isDisjoint())
        return std::nullopt;
      Distances result = sum_of(*left, *right, 1, bits);
      // Each lane's numbers share no bits, and so no base has one of a lane of the other's.
      if (share_no_bits(*left) && share_no_bits(*right))
        result.zeros = (left->zeros | used_bits(*right)) & (right->zeros | used_bits(*left));
      return result;
    }
    case llvm::Instruction::Mul:
    case llvm::Instruction::Shl: {
      const auto from = operand(0);
      const bool shifts = instruction.getOpcode() == llvm::Instruction::Shl;
      if (!from || !number || by == 0 || (shifts && by >= bits)) return std::nullopt;
      const std::uint64_t factor = shifts ? std::uint64_t{1} << by : by;
      Distances result =
          changed(*from, [&](std::uint64_t lane) { return lane * factor & low_bits(bits); });
      result.base = add({}, from->base, factor, bits);
      const unsigned low = static_cast<unsigned>(llvm::countr_zero(factor));
      result.zeros = shifts
                         ? from->zeros << by | low_bits(low)
                         : low_bits(std::min<unsigned>(
                               bits, static_cast<unsigned>(llvm::countr_one(from->zeros)) + low));
      if (from->base.empty()) result.zeros = ~std::uint64_t{0};
      return result;
    }
    case llvm::Instruction::And:
    case llvm::Instruction::Xor: {
      const auto from = parted(0);
      if (!from || !number) return std::nullopt;
      const bool masks = instruction.getOpcode() == llvm::Instruction::And;
      // The bits of the base that change, and those that lanes may have.
      const std::uint64_t others = (masks ? ~by : by) & ~from->zeros & low_bits(bits);
      Distances result = changed(*from, [&](std::uint64_t lane) {
        return masks ? lane & by : lane ^ (by & (from->zeros | ~low_bits(bits)) & low_bits(bits));
      });
      if (others != 0) result.base = made_of(instruction, by, from->base);
      if (masks) result.zeros |= ~by;
      return result;
    }
    case llvm::Instruction::LShr: {
      const auto from = parted(0);
      if (!from || !number || by >= bits) return std::nullopt;
      Distances result = changed(*from, [&](std::uint64_t lane) { return lane >> by; });
      result.base = made_of(instruction, by, from->base);
      result.zeros =
          (from->zeros & low_bits(bits)) >> by | ~low_bits(bits - static_cast<unsigned>(by));
      return result;
    }
    default:
      return std::nullopt;
  }
}

std::optional<LaneDistances::Distances> LaneDistances::of_address(
    const llvm::GetElementPtrInst& address, unsigned steps) {
  if (address.getType()->isVectorTy()) return std::nullopt;
  const Distances* start = find(*address.getPointerOperand(), steps + 1);
  if (!start) return std::nullopt;
  Distances sum = *start;
  for (auto step = llvm::gep_type_begin(address); step != llvm::gep_type_end(address); ++step) {
    if (step.isStruct()) return std::nullopt;
    const auto* fixed = llvm::dyn_cast<llvm::ConstantInt>(step.getOperand());
    const std::uint64_t bytes = step.getSequentialElementStride(layout_).getFixedValue();
    if (fixed) {
      sum = sum_of(sum, constant(static_cast<std::uint64_t>(fixed->getSExtValue())), bytes, 64);
      continue;
    }
    const Distances* index = find(*step.getOperand(), steps + 1);
    if (!index) return std::nullopt;
    std::optional<Distances> wide = *index;
    if (const unsigned bits = bits_of(*step.getOperand()); bits < 64)
      wide = extended(*index, bits, true, address);
    if (!wide) return std::nullopt;
    sum = sum_of(sum, *wide, bytes, 64);
  }
  return sum;
}

}  // namespace pycuda::cpu::simt
