// SPDX-License-Identifier: MIT
// The parts of block_functions.h.
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>
#include <optional>

#include "cpu/kernel_abi/frames.h"
#include "cpu/simt/analysis/shape.h"
#include "cpu/simt/blocks/regions.h"
#include "cpu/simt/versioning/alignment_checks.h"

namespace pycuda::cpu::simt {

/// Barriers that count or reduce become sums in the block's frame and plain barriers. For functions
/// that gangs will run. Each thread adds to one of the block's three sums, waits and reads it; what
/// was added for the barrier before is cleared then, since everyone has read it. Only barriers 0 of
/// all threads; others are left as they are.
void expand_barrier_reductions(llvm::Function& function);

/// A kernel that never suspends becomes a loop over the threads of a block. Before: `kernel` is
/// void (ptr %thread) and calls nothing that suspends. After: it is gone, inlined into
/// `<name>.block`, which is returned. With `checks`, that asks them once for the block.
llvm::Function* make_block_loop(llvm::Function& kernel, llvm::StringRef name,
                                const ParameterChecks& checks);

/// The number of lanes that a gang function finds in its frame, and its place in the block: read
/// once, at its start.
void replace_gang_values(llvm::Function& gang);

/// The gang functions of a kernel without barriers become a loop over the gangs of a block. Inlines
/// both into `name`, a BlockFunction. Gangs lie along x: full ones, then one for the rest
/// of the row. Without `tail` there is no rest: blocks are made of whole gangs, or of whole tiles.
llvm::Function* make_gang_loop(llvm::Function& full, llvm::Function* tail, llvm::StringRef name,
                               GangSize size);

/// The regions of a kernel with barriers become a function that runs a whole block. Makes `name`, a
/// BlockFunction: rounds over all gangs, each from one barrier to the next. Gangs lie along x:
/// `full` for those whose lanes all have a thread, `tail` for the rest of each row. Without `tail`
/// there is no rest: blocks are made of whole gangs, or of whole tiles. While all full gangs wait
/// at the same barrier a round is a loop over one region; otherwise each gang's state says which
/// region comes next; where they `agree` (analysis/uniform_barriers.h) that cannot happen, and
/// there is no code for it. Gangs at a barrier stay there while one pauses. Blocks of one row of
/// whole gangs take regions that follow one another in a straight line, where that tells their
/// first gangs apart (peeled_gangs.h). `block` has the threads along x, y and z if they are the
/// same in every launch: then there is code for such blocks alone.
///
/// ThreadFrame::scratch holds the address of the block's memory, aligned to 256 bytes: a 32-bit
/// state for each gang, then, at a multiple of 256, `frame_bytes` for each, apart or together.
llvm::Function* make_region_loop(const Regions& full, const Regions* tail,
                                 std::uint64_t frame_bytes, llvm::StringRef name, GangSize size,
                                 bool agree, std::optional<Dim3> block);

/// Barriers that every thread of the block comes to need no check while the block runs. Drops what
/// tells the checks of barriers (pycuda_cpu_note_gang_barrier) if at each of them all lanes of the
/// gang arrive. `full` and `tail` (or null) are the functions of a block's gangs, which agree on
/// the way from barrier to barrier (analysis/uniform_barriers.h).
void drop_notes_of_right_barriers(llvm::Function& full, llvm::Function* tail);

/// Source lines are noted down for fault messages once, not again where they are known. Code notes
/// its line in its thread's frame in each block that may fault (lower's track_line). In `function`,
/// where a loop notes the same line alone, that happens before the loop; where the line has been
/// noted on every way, not at all. What may fault finds the same line as before.
void reduce_line_notes(llvm::Function& function);

/// Loops that wait for other threads let these run. Puts a yield on the back edges of each loop
/// that may leave only when another thread has written something: loops of which an exit depends,
/// through data or the choice at a phi, on a volatile or atomic read inside the loop. A loop that
/// retries a compare-and-swap with the value it found there is none: it fails only when another
/// thread went on. Before: registers are in SSA form (else nothing is found). What a loop with one
/// such read reads is noted down (kernel_abi/spin_wait.h).
void yield_in_spin_waits(llvm::Function& function);

}  // namespace pycuda::cpu::simt
