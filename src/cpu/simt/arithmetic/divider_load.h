// SPDX-License-Identifier: MIT
// How long a block of vectors keeps a processor's divider busy, and how long its multipliers.
#pragma once

#include <llvm/IR/Instruction.h>

#include <algorithm>

#include "cpu/simt/arithmetic/divider_costs.h"

namespace pycuda::cpu::simt {

/// Tenths of a cycle.
struct DividerLoad {
  unsigned divider = 0, multipliers = 0;

  unsigned longest() const { return std::max(divider, multipliers); }
  void add(DividerCosts::Time time, unsigned times) {
    divider += times * time.divider;
    multipliers += times * time.multipliers;
  }
};

/// How many lanes of f32 a type has: 0 for other ones.
unsigned float_lanes(const llvm::Type& type);

/// How many registers an operation on vectors works on, at least 1.
unsigned registers_of(const llvm::Instruction& instruction);

/// A register's worth of arithmetic that is neither root nor division.
unsigned arithmetic_cost(const llvm::Instruction& instruction, const DividerCosts& costs);

}  // namespace pycuda::cpu::simt
