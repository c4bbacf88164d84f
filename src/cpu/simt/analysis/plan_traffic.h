// SPDX-License-Identifier: MIT
// For the plan: how much an access moves, and of which array.
#pragma once

#include <llvm/IR/Instruction.h>

#include <string>

#include "cpu/simt/analysis/plan.h"

namespace pycuda::cpu::simt {

/// Sets `bytes` and `array` if `access` is a load or a store.
void note_traffic(const llvm::Instruction& access, PlanNote& note);

/// A note of `instruction`, with its place in the PTX if that is marked.
PlanNote note_of(const llvm::Instruction& instruction, PlanNote::Kind kind, std::string form);

}  // namespace pycuda::cpu::simt
