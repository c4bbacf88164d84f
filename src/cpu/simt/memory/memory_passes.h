// SPDX-License-Identifier: MIT
// Passes over how threads walk memory.
#pragma once

#include <llvm/IR/Function.h>

#include "cpu/simt/analysis/shape.h"

namespace pycuda::cpu::simt {

/// Loops in which threads step over the whole grid let all gangs do a trip in turn. Puts pauses on
/// the back edges of loops that whole gangs go round and whose addresses step over the grid (by a
/// multiple of nctaid * ntid, as far as can be seen): one gang alone would walk memory in jumps,
/// all of them together walk it in long runs. `function` is in the form that ControlFlow asks for
/// and has no barriers. True if there is a pause now.
bool pause_in_grid_strides(llvm::Function& function, unsigned lanes);

/// Whether a loop of `kernel`, which has ControlFlow's form, seems to step over the grid, in gangs
/// of `lanes`.
bool may_stride_over_grid(llvm::Function& kernel, unsigned lanes);

/// Takes the pauses of a gang's function out again.
void drop_pauses(llvm::Function& gang);

/// Local memory lies element by element, the gang's threads side by side, as on a GPU. A thread's
/// arrays in local memory mostly have an index that all threads share: a loop's counter. One
/// thread's array behind another's, each access is a gather or a scatter; element by element it is
/// a vector. Changes the variables for which that is so of some access, and of which all uses are
/// known: accesses in elements of a few sizes. For the sources of gangs, before their shapes are
/// asked for the last time. Returns how many variables changed.
unsigned interleave_local_arrays(llvm::Function& function, GangSize size);

/// Threads that walk rows of a list one after the other fetch what the next ones will walk. Where a
/// thread's row begins and ends is often two neighbours of a list, as in sparse matrices and
/// graphs: the next thread's row begins where this one's ends. Rows of some ten elements are too
/// short, and the wrong guesses at their ends too many, for a processor to fetch far enough ahead.
/// So each thread fetches a little of what lies some rows further.
///
/// `kernel` is for one thread. Returns how many arrays are fetched from.
unsigned prefetch_next_rows(llvm::Function& kernel);

/// What grows by the same step in every lane becomes a start and a distance. Loops step through
/// memory by adding to a pointer. Where its start is affine but for numbers that might wrap,
/// nothing is known of the pointer itself, and each trip would look at every lane's once more. As
/// the sum of the start, about which one look is enough, and of a distance that is the same for all
/// lanes, its first lane's value is a matter of scalars, and only those live on from trip to trip.
/// `function` is in the form that ControlFlow asks for, and stays in it.
void split_uniform_increments(llvm::Function& function, GangSize size);

/// Volatile accesses that do not name their space, where there is no shared memory. Removes the
/// mark (lower::generic_access) from volatile accesses that cannot be to shared memory: from those
/// in kernels that neither use it themselves nor in a function that they may call, and in functions
/// that such kernels alone may call. Functions that are called through pointers keep theirs, since
/// kernels of other modules may call them.
void unmark_unshared_accesses(llvm::Module& module);

/// The same for one kernel, with its calls inlined. Calls that are left count as if they used
/// shared memory.
void unmark_inlined_accesses(llvm::Function& kernel);

}  // namespace pycuda::cpu::simt
