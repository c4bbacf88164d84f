// SPDX-License-Identifier: MIT
// What is done for one lane after the other.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>

#include <cstdint>

#include "cpu/simt/analysis/plan.h"
#include "cpu/simt/analysis/shape.h"

namespace llvm {
class Function;
class Module;
class Value;
}  // namespace llvm

namespace pycuda::cpu::simt {

/// What the names of the functions for rows say (make_lane_function).
inline constexpr llvm::StringLiteral own_row_label = "row";

/// Loops in which each thread writes along a row of its own are run thread by thread, with
/// neighbouring elements of the row, instead of neighbouring threads, in vectors.
///
/// In such a loop a gang gathers and scatters an element for each lane: a matrix that threads take
/// apart, a row each, is an example. The loop becomes a call of a function of its own, for one
/// lane (make_lane_function), if `vectorise` makes vectors, of `vector_bytes` at most, of the loop
/// that rolled_loop.h writes there. Else `plan`, if there is one, says why not. Threads may run
/// such a loop one after the other: nothing in it waits. True if `function` was changed.
bool vectorise_inner_loops(llvm::Function& function, GangSize size, std::uint64_t vector_bytes,
                           llvm::function_ref<void(llvm::Function&)> vectorise, Plan* plan);

/// Whether `function` is code of a kernel that passes have put into a function of its own, called
/// for one active lane after the other. It returns nothing.
bool is_lane_function(const llvm::Function& function);

/// A new function of that kind, for such arguments; `label` says what it does.
llvm::Function* make_lane_function(llvm::Module& module, llvm::ArrayRef<llvm::Value*> arguments,
                                   llvm::StringRef label);

/// Of such a function: whether it is what lanes do in turn (serialise_blocks).
bool is_serial_block(const llvm::Function& function);

/// What plans say of a call of `function`.
llvm::StringRef form_of_lane_function(const llvm::Function& function);

/// Afterwards `gang` has the code of the functions that it calls for lanes.
void inline_lane_functions(llvm::Function& gang);

/// Drops those that are not called.
void drop_lane_functions(llvm::Module& module);

/// What only some threads of a block do at each step of a loop, all over shared memory, is done
/// thread by thread. Blocks that go through a table by its diagonals are an example: between two
/// barriers each thread whose turn it is reads some numbers, none next to its neighbours', and
/// writes one. A gather takes as long for one lane as for all of them, and as several loads of one
/// number each; so does a scatter. Such code becomes a call of a function for one lane
/// (make_lane_function). True if `function` was changed.
bool serialise_blocks(llvm::Function& function, GangSize size);

}  // namespace pycuda::cpu::simt
