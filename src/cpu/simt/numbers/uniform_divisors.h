// SPDX-License-Identifier: MIT
// Pass: vectors divided by what is the same for all their lanes are multiplied instead.
#pragma once

#include <llvm/IR/Function.h>

#include "cpu/target/divider_costs.h"

namespace pycuda::cpu::simt {

/// With z = 1 / y rounded to nearest, q = x z rounded, and what q lacks, x - q y (exact in one
/// fused operation), times z added to it, is x / y rounded to nearest:
///  - of f32 for every x and y. What is added is off by no more than 3 / 2^25 units in the last
///    place of q, so that only quotients as near to the middle of two numbers could be wrong; of
///    those, 23 million pairs of mantissas, each was tried.
///  - of f64 after a second such step: q is within 1 / 2 + 2^-52 units before it, what is added is
///    off by less than the distance of every quotient from such a middle, unless y's mantissa is
///    all ones, and such a y is divided by.
/// Divisions in `function` are done so where that relieves a divider that is the bottleneck of its
/// block, and z is known before the loop that divides. Vectors in which a lane is not zero and so
/// large or small that a step could leave the normal numbers (infinities and NaN among them) take
/// the divider, and so do all with a divisor that is negative or not of ordinary size: the bits are
/// those of the division always. For code that subnormal numbers are not flushed in, or where the
/// range sees to it that none arise; for a target::Processor with `divider`.
/// Late: after loops are as they will be. Returns how many divisions it replaced.
unsigned multiply_by_reciprocals(llvm::Function& function, const target::DividerCosts& costs);

}  // namespace pycuda::cpu::simt
