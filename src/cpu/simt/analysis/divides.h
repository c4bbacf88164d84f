// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instruction.h>
#include <llvm/Support/Casting.h>

namespace pycuda::cpu::simt {

/// Whether an instruction takes the processor's divider, which is slow, and traps where it cannot
/// divide. Integer quotients by constants become products.
inline bool divides(const llvm::Instruction& instruction) {
  if (!instruction.isIntDivRem()) return false;
  const auto* divisor = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
  return !divisor || divisor->isZero() || divisor->isMinusOne();
}

}  // namespace pycuda::cpu::simt
