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
/// into all of them.
///
/// Otherwise the sums of a product would go to memory and back in each trip. One core of a Zen 5,
/// product of matrices of 1024 x 1024 floats of which each thread computes 4 x 4: 42 ms in gangs
/// of 64, 25 in gangs of 32, 18 in gangs of 16, whose sums are 16 registers. And a million points
/// of 16 floats, each compared with 8 others: 5.5 ms in gangs of 64, 3.3 in gangs of 32.
unsigned fit_registers(llvm::Function& kernel, unsigned lanes, std::uint64_t register_bytes);

/// Bytes of the numbers that a thread has loaded outside of `loop` and uses in it.
std::uint64_t held_bytes(const llvm::Loop& loop);

}  // namespace pycuda::cpu::simt
