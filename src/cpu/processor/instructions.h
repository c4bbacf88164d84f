// SPDX-License-Identifier: MIT
// Instructions that C++ has no words for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pycuda::cpu::processor {

/// For a thread that waits in a loop.
void pause_core();

/// Of a clock that runs at a constant rate, cheap to read.
std::uint64_t ticks();

/// As memcpy, past the caches where that is possible: what is overwritten is not read first.
void stream_copy(unsigned char* to, const unsigned char* from, std::size_t bytes);
/// `pattern` is the unit of 1, 2 or 4 bytes repeated; `to` is aligned to the unit.
void stream_fill(unsigned char* to, std::uint32_t pattern, std::size_t bytes);
/// Stores of this thread that went past the caches are visible where its next write is.
void end_streaming();

}  // namespace pycuda::cpu::processor
