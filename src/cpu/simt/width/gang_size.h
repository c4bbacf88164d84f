// SPDX-License-Identifier: MIT
// Analysis: how many threads a gang has best, and how they lie over a block.
#pragma once

#include <cstdint>

#include "cpu/kernel_abi/facts.h"
#include "cpu/simt/analysis/variant.h"

namespace pycuda::cpu::simt {

/// The lanes of gangs of one row.
unsigned choose_lanes(llvm::Function& kernel, const KernelFacts& facts);

/// The tiles of a kernel whose threads differ along y; of one row if it is to have none. `lanes`
/// are asked for, or 0; the processor's vector registers have `register_bytes` together.
GangSize choose_tile(llvm::Function& kernel, const KernelFacts& facts, unsigned lanes,
                     std::uint64_t register_bytes);

/// Whether gangs along x, as long as may be, are better than tiles: where a tile's row is less than
/// a vector, or where much is read, which comes faster from long pieces of few rows; and not where
/// tiles keep together what leaves early or what neighbours along y touch, as loops do mostly.
bool walks_rows(const KernelVariant& source, const KernelFacts& facts);

/// Whether tiles are better than rows of the same kernel at all. Where tiles gather much, with no
/// more than two rows.
bool gains_by_tiles(KernelVariant& source);

/// Better sizes once it is known how the kernel walks memory: for kernels that walk rows, which may
/// be fused (then true); for those that take a thread's number apart, and for what loops do.
bool settle_rows(KernelVariant& source, const KernelFacts& facts);
void settle_lanes(KernelVariant& source, const KernelFacts& facts);

/// Fewer lanes where they part for what they find in data and are more than the processor's masks
/// have (target::Processor::mask_lanes).
void fit_masks(KernelVariant& source);

}  // namespace pycuda::cpu::simt
