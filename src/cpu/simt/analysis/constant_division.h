// SPDX-License-Identifier: MIT
// Integer quotients and remainders by constants.
#pragma once

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instruction.h>
#include <llvm/Support/Casting.h>

#include <cstdint>
#include <optional>

namespace pycuda::cpu::simt {

/// Whether an instruction takes the processor's divider, which is slow, and traps where it cannot
/// divide. Integer quotients by constants become products.
inline bool divides(const llvm::Instruction& instruction) {
  if (!instruction.isIntDivRem()) return false;
  const auto* divisor = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
  return !divisor || divisor->isZero() || divisor->isMinusOne();
}

/// Written as a division, a shift or a mask.
struct ConstantDivision {
  bool is_signed, is_remainder;
  std::uint64_t divisor;           ///< without its sign; 2 or more
  std::optional<unsigned> places;  ///< of which power of two, where it is rounded down

  /// Whether numbers that are `span` apart may have the same quotient, and as a rule do.
  bool agrees_as_a_rule(std::uint64_t span) const {
    return places ? span < divisor : 2 * span <= divisor;
  }
  /// The quotient of a number, or the same with another sign.
  llvm::Value* quotient(llvm::IRBuilder<>& b, llvm::Value* dividend) const;
};

/// Of numbers of up to 64 bits; none if `operation` is something else.
std::optional<ConstantDivision> constant_division(const llvm::BinaryOperator& operation);

}  // namespace pycuda::cpu::simt
