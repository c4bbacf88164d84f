// SPDX-License-Identifier: MIT
// What belongs to one CUDA thread alone: its stack, its coroutine's frame, its pushed frames.
#pragma once

#include <cstdint>

#include "cpu/exec/frame_stack.h"
#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu::exec {

/// The pushed frames of `thread`. Only while it runs, on the OS thread that runs it.
FrameStack& frames_of(const ThreadFrame& thread);

/// Whether [address, address + bytes) is local memory of `thread`, likewise.
bool in_local_memory(const ThreadFrame& thread, std::uint64_t address, std::uint64_t bytes);

}  // namespace pycuda::cpu::exec
