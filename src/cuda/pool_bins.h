// SPDX-License-Identifier: MIT
// The size classes of memory pools: 16 to each power of two, so that at most a sixteenth is wasted.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pycuda::cuda {

using BinNumber = std::uint32_t;

/// The bin that serves a request of so many bytes.
BinNumber bin_number(std::size_t bytes);
/// What blocks of the bin hold: the most that the bin serves. 1000 -> 1023, 1024 -> 1087, 0 -> 1.
/// Throws std::overflow_error for sizes past the address space.
std::size_t bin_bytes(BinNumber bin);

}  // namespace pycuda::cuda
