// SPDX-License-Identifier: MIT
// How long a block of vectors keeps a processor's divider busy, and how long its multipliers.
#pragma once

#include <llvm/IR/Instruction.h>

#include <algorithm>

#include "cpu/target/divider_costs.h"

namespace pycuda::cpu::simt {

/// Tenths of a cycle.
struct DividerLoad {
  unsigned divider = 0, multipliers = 0;

  unsigned longest() const { return std::max(divider, multipliers); }
  void add(target::DividerCosts::Time time, unsigned times) {
    divider += times * time.divider;
    multipliers += times * time.multipliers;
  }
};

/// How many lanes of f32 a type has: 0 for other ones.
unsigned float_lanes(const llvm::Type& type);

/// How many registers an operation on vectors works on, at least 1.
unsigned registers_of(const llvm::Instruction& instruction);

/// Whether the divider divides whole registers for it, of f32 or f64.
bool is_division_of_registers(const llvm::Instruction& instruction);

/// What such a division takes a register.
target::DividerCosts::Time division_time(const llvm::Instruction& instruction,
                                         const target::DividerCosts& costs);

/// Whether it is the square root of registers of f32.
bool is_root_of_registers(const llvm::Instruction& instruction);

/// Adds what `instruction` takes, on so many registers.
void add_load(DividerLoad& load, const llvm::Instruction& instruction, unsigned registers,
              const target::DividerCosts& costs);

}  // namespace pycuda::cpu::simt
