// SPDX-License-Identifier: MIT
// How the check for uninitialised reads knows memory that nobody wrote: by what it is filled with.
// Copies of any kind keep that, also those that the host makes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pycuda::cpu::exec {

/// NaN as a float and, twice, as a double; negative as an integer.
inline constexpr std::uint32_t unwritten_word = 0xfff5a7c3;

/// Fills memory that begins at a multiple of 4.
void fill_unwritten(void* memory, std::size_t bytes);

/// Whether nobody has written any of the bytes: all words that have some of them are as they were
/// filled. Reads the memory.
bool is_unwritten(std::uint64_t address, std::uint32_t bytes);

/// The bytes of fresh memory: as filled where reads of it are looked for; else, in the checked
/// mode, 0xff.
void fill_fresh(void* memory, std::size_t bytes);

}  // namespace pycuda::cpu::exec
