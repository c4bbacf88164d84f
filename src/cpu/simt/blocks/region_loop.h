// SPDX-License-Identifier: MIT
// Pass: the regions of a kernel with barriers become a function that runs a whole block.
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>
#include <optional>

#include "cpu/kernel_abi/frames.h"
#include "cpu/simt/analysis/shape.h"
#include "cpu/simt/blocks/regions.h"

namespace pycuda::cpu::simt {

/// Makes `name`, a BlockFunction: rounds over all gangs, each from one barrier to the next. Gangs
/// lie along x: `full` for those whose lanes all have a thread, `tail` for the rest of each row.
/// Without `tail` there is no rest: blocks are made of whole gangs, or of whole tiles. While all
/// full gangs wait at the same barrier a round is a loop over one region; otherwise each gang's
/// state says which region comes next; where they `agree` (analysis/uniform_barriers.h) that cannot
/// happen, and there is no code for it. Gangs at a barrier stay there while one pauses. Blocks of
/// one row of whole gangs take regions that follow one another in a straight line, where that tells
/// their first gangs apart (peeled_gangs.h). `block` has the threads along x, y and z if they are
/// the same in every launch: then there is code for such blocks alone.
///
/// ThreadFrame::scratch holds the address of the block's memory, aligned to 256 bytes: a 32-bit
/// state for each gang, then, at a multiple of 256, `frame_bytes` for each, apart or together.
llvm::Function* make_region_loop(const Regions& full, const Regions* tail,
                                 std::uint64_t frame_bytes, llvm::StringRef name, GangSize size,
                                 bool agree, std::optional<Dim3> block);

}  // namespace pycuda::cpu::simt
