// SPDX-License-Identifier: MIT
// Analysis: kernels whose loops say how many lanes are best.
#pragma once

#include <cstdint>

#include "cpu/simt/width/gang_work.h"

namespace pycuda::cpu::simt {

enum class LoopWidth {
  Any,
  Few,   ///< one vector of 32-bit numbers
  Many,  ///< as many as there are
};

/// What the innermost loops of a kernel want.
///
/// Many, where lanes leave a loop one by one for what they find in memory or compute: each wrong
/// guess of the processor about the end of the loop, and the latency of what the next trip waits
/// for, is then shared by more threads. The same holds for loops of arithmetic alone. Not where
/// what they carry from trip to trip would fill half of the vector registers, of `register_bytes`
/// together, or what they use again and again more than all of them.
///
/// Few, where each lane reads a row of its own of a matrix: every row is a stream of lines, and
/// many processors fetch no more than a few of these ahead (target::Processor::streams).
///
/// `work`: of a gang as it would be otherwise.
LoopWidth width_for_loops(const GangWork& work, std::uint64_t register_bytes);

}  // namespace pycuda::cpu::simt
