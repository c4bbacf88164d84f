// SPDX-License-Identifier: MIT
// Pass: where both ways of a branch divide by the same number, one division does for both.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// A gang whose threads part goes both ways, and divides twice; where the ways have ways of their
/// own, as in conversions of colours, more often. Divisions take longest of all arithmetic. So what
/// is to be divided is chosen before the branch, and divided there: each thread divides what it did
/// before. For the sources of gangs, before if-conversion: without their divisions more
/// of them are short. Returns how many divisions went.
unsigned share_divisions(llvm::Function& function);

}  // namespace pycuda::cpu::simt
