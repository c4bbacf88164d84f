// SPDX-License-Identifier: MIT
// Pass: loops in which each thread writes along a row of its own are run thread by thread, with
// neighbouring elements of the row, instead of neighbouring threads, in vectors.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>

#include <cstdint>

#include "cpu/simt/analysis/plan.h"
#include "cpu/simt/analysis/shape.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace pycuda::cpu::simt {

/// What the names of the functions for rows say (lane_functions.h).
inline constexpr llvm::StringLiteral own_row_label = "row";

/// In such a loop a gang gathers and scatters an element for each lane: a matrix that threads take
/// apart, a row each, is an example. The loop becomes a call of a function of its own, for one
/// lane (lane_functions.h), if `vectorise` makes vectors, of `vector_bytes` at most, of the loop
/// that rolled_loop.h writes there. Else `plan`, if there is one, says why not. Threads may run
/// such a loop one after the other: nothing in it waits. True if `function` was changed.
bool vectorise_inner_loops(llvm::Function& function, GangSize size, std::uint64_t vector_bytes,
                           llvm::function_ref<void(llvm::Function&)> vectorise, Plan* plan);

}  // namespace pycuda::cpu::simt
