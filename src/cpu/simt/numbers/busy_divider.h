// SPDX-License-Identifier: MIT
// Pass: square roots by multiplication, where divisions keep the processor's one divider busy.
#pragma once

#include <llvm/IR/Function.h>

#include "cpu/target/divider_costs.h"

namespace pycuda::cpu::simt {

/// Replaces llvm.sqrt of vectors of f32, and divisions of 1 by them, in blocks of `gang` that would
/// wait for the divider, by steps of Newton's method and a last one that rounds correctly: the same
/// bits. As many as bring divider and multipliers into balance, where `costs` allow it register by
/// register. Roots of numbers for which a step could leave the range of normal numbers stay with
/// the divider. For a target::Processor with `divider`. Better late than early: passes
/// that move code into the blocks where it is used would undo the mixture.
void relieve_divider(llvm::Function& gang, const target::DividerCosts& costs);

}  // namespace pycuda::cpu::simt
