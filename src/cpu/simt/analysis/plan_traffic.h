// SPDX-License-Identifier: MIT
// For the plan: how much an access moves, and of which array.
#pragma once

#include <llvm/IR/Instruction.h>

#include "cpu/simt/analysis/plan.h"

namespace pycuda::cpu::simt {

/// Sets `bytes` and `array` if `access` is a load or a store.
void note_traffic(const llvm::Instruction& access, PlanNote& note);

}  // namespace pycuda::cpu::simt
