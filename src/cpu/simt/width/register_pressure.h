// SPDX-License-Identifier: MIT
// Analysis: how many numbers a thread needs at once, and how many threads a gang may have before
// these fill the registers.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

#include <cstdint>

namespace pycuda::cpu::simt {

/// `lanes`, or fewer, but at least 16, so that loops of a gang of `kernel` do not spill. The values
/// that a gang carries from trip to trip take at most half of the vector registers, which have
/// `register_bytes` together. The values loaded before a loop and used in each trip fit into all of
/// them. Otherwise the sums of a product would go to memory and back in each trip.
unsigned fit_registers(llvm::Function& kernel, unsigned lanes, std::uint64_t register_bytes);

/// Bytes of the numbers that a thread has loaded outside of `loop` and uses in it.
std::uint64_t held_bytes(const llvm::Loop& loop);

/// The most floating-point values that are live in one place of `kernel`, in the order in which it
/// is written.
unsigned most_live_numbers(const llvm::Function& kernel);

/// The same of all values but pointers and truths, in words of 32 bits.
unsigned most_live_words(const llvm::Function& kernel);

}  // namespace pycuda::cpu::simt
