// SPDX-License-Identifier: MIT
// Analysis: how many threads a gang may have before what they carry round a loop fills the
// registers.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

#include <cstdint>

namespace pycuda::cpu::simt {

/// `lanes`, or so many fewer, but not less than 16, that what a gang of threads of `kernel` takes
/// from trip to trip of a loop leaves half of the vector registers, of `register_bytes` together,
/// to what it computes with, and that what it has loaded before a loop and uses in each trip fits
/// into all of them. Otherwise the sums of a product would go to memory and back in each trip.
unsigned fit_registers(llvm::Function& kernel, unsigned lanes, std::uint64_t register_bytes);

/// Bytes of the numbers that a thread has loaded outside of `loop` and uses in it.
std::uint64_t held_bytes(const llvm::Loop& loop);

}  // namespace pycuda::cpu::simt
