// SPDX-License-Identifier: MIT
// How the check for uninitialised reads recognises such memory: by what it is filled with.
// Copies of any kind keep that, also those that the host makes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/kernel_abi/checks.h"

namespace pycuda::cpu::exec {

/// Fills memory that begins at a multiple of 4.
void fill_unwritten(void* memory, std::size_t bytes);

/// Whether none of the bytes has been written: all words that have some of them are as they were
/// filled. Reads the memory.
bool is_unwritten(std::uint64_t address, std::uint32_t bytes);

/// Whether that may be so, by the first bytes, up to a word, that are in memory: `low` begins with
/// them.
inline bool may_be_unwritten(std::uint64_t address, std::uint32_t bytes, std::uint64_t low) {
  if (bytes >= sizeof unwritten_word) return static_cast<std::uint32_t>(low) == unwritten_word;
  const std::uint32_t part = unwritten_word >> (address % sizeof unwritten_word * 8);
  const std::uint32_t mask = (std::uint32_t{1} << bytes * 8) - 1;
  return ((part ^ static_cast<std::uint32_t>(low)) & mask) == 0;
}

/// The bytes of fresh memory: as filled where reads of it are looked for; else, in the checked
/// mode, 0xff.
void fill_fresh(void* memory, std::size_t bytes);

}  // namespace pycuda::cpu::exec
