// SPDX-License-Identifier: MIT
// A parallel loop over a range of bytes: the caller shares long ones with idle workers.
#pragma once

#include <cstddef>
#include <functional>

namespace pycuda::cpu::exec {

/// Splits [0, bytes) into ranges and calls `piece(begin, end)` once for each: on the caller and, if
/// there is enough to do, on idle workers. Returns when all are done.
/// Ranges begin at multiples of 4 KiB. `piece` does not throw.
void parallel_ranges(std::size_t bytes,
                     const std::function<void(std::size_t begin, std::size_t end)>& piece);

}  // namespace pycuda::cpu::exec
