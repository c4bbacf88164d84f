// SPDX-License-Identifier: MIT
// Analysis: how many numbers a thread needs at once.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// The most floating-point values that are live in one place of `kernel`, in the order in which it
/// is written.
unsigned most_live_numbers(const llvm::Function& kernel);

/// The same of all values but pointers and truths, in words of 32 bits.
unsigned most_live_words(const llvm::Function& kernel);

}  // namespace pycuda::cpu::simt
