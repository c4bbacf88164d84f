// SPDX-License-Identifier: MIT
// Passes: what most threads do comes first, and is computed for all.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// CUDA's sin, cos and tan ask first whether x is one number, infinity, then whether it is in the
/// range for which a few operations are enough, and each question would be one to every gang. A
/// range that the number is outside of is asked for first, and is said to be likely; the number is
/// looked for outside. Returns how often.
unsigned test_ranges_first(llvm::Function& function);

/// Where the likely way of a branch is nothing but a few operations, all threads compute them
/// before it: their results need no mask, and no gang is asked whether one of its threads goes that
/// way. For the sources of gangs, and leaves their blocks as they are.
void if_convert_likely(llvm::Function& function);

/// Whether the branch to `block`, the only one, says that it nearly always goes there, or hardly
/// ever.
enum class Odds { Likely, Unlikely, Unknown };
Odds odds_of(const llvm::BasicBlock& block);

}  // namespace pycuda::cpu::simt
