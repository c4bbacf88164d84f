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

/// Whether it lies in one of the variables of `thread` that `pycuda_cpu_variable_push` made.
bool in_local_variable(const ThreadFrame& thread, std::uint64_t address, std::uint64_t bytes);

/// How many bytes of frames a thread may have: enough that CU_LIMIT_STACK_SIZE ends deep calls
/// first (frames of compiled code are longer than those that the limit counts).
std::uint64_t most_frame_bytes(const ThreadFrame& thread);

/// How many bytes with the variables that do not count as its stack. Gangs have those of all their
/// threads.
inline constexpr std::uint64_t most_variable_bytes = std::uint64_t{1} << 28;

}  // namespace pycuda::cpu::exec
