// SPDX-License-Identifier: MIT
// Work of the driver's own on long runs of bytes, shared with the workers.
#pragma once

#include <cstddef>
#include <functional>

namespace pycuda::cpu::exec {

/// Calls `piece(begin, end)` for ranges that together are [0, bytes), each once: in the caller and,
/// where there is enough to do, on workers that have nothing else to do. Returns when all are done.
/// Ranges begin at multiples of 4 KiB. `piece` does not throw.
void in_pieces(std::size_t bytes,
               const std::function<void(std::size_t begin, std::size_t end)>& piece);

}  // namespace pycuda::cpu::exec
