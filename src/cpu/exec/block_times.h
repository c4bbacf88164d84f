// SPDX-License-Identifier: MIT
// How long the blocks of kernels take, measured in earlier launches: no number of instructions
// shows how often a loop runs.
#pragma once

#include <chrono>
#include <cstdint>

#include "cpu/kernel_abi/kernel.h"

namespace pycuda::cpu::exec {

/// Nanoseconds that one thread needs for a block of `kernel`, at least 1; 0: not known. An estimate
/// that is rather too high than too low if launches differ.
std::uint64_t expected_block_time(const Kernel& kernel);

/// Threads have run `blocks` blocks of `kernel`, which took them `time`, added up over the threads.
void note_block_time(const Kernel& kernel, std::uint64_t blocks, std::chrono::nanoseconds time);

}  // namespace pycuda::cpu::exec
