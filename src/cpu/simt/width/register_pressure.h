// SPDX-License-Identifier: MIT
// Analysis: how many threads a gang may have before what they carry round a loop fills the
// registers.
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

}  // namespace pycuda::cpu::simt
