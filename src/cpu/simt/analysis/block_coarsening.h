// SPDX-License-Identifier: MIT
// Analysis: kernels for which neighbouring blocks are the same as one long block.
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>
#include <optional>

namespace pycuda::cpu::simt {

/// Whether blocks side by side along x may run as one whose threads have larger tid.x, under the
/// first one's ctaid.x: so if `function` uses both in ctaid.x * ntid.x + tid.x only, and
/// nothing that the threads of a block share. The number is the ntid.x that this is true for (the
/// kernel multiplies with a constant), 0 for any.
std::optional<std::uint32_t> coarsenable_block_size(const llvm::Function& function);

}  // namespace pycuda::cpu::simt
