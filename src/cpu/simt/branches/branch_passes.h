// SPDX-License-Identifier: MIT
// Passes over branches.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// Both ways of a branch are computed where that takes a few operations. A branch on data of a
/// thread's own is a mask for each of its ways, a question whether one of the gang's threads goes
/// there, and a choice for each result. Where its ways are a few operations of f32 and come
/// together at once, all threads compute both, and only the choices are left. For the sources of
/// gangs. Returns how many branches went.
unsigned if_convert(llvm::Function& function);

/// What most threads do comes first. CUDA's sin, cos and tan ask first
/// whether x is one number, infinity, then whether it is in the range for which a few operations
/// are enough, and each question would be one to every gang. A range that the number is outside of
/// is asked for first, and is said to be likely; the number is looked for outside. Returns how
/// often.
unsigned test_ranges_first(llvm::Function& function);

/// Where the likely way of a branch is nothing but a few operations, all threads compute them
/// before it: their results need no mask, and no gang is asked whether one of its threads goes that
/// way. For the sources of gangs, and leaves their blocks as they are.
void if_convert_likely(llvm::Function& function);

/// Whether the branch to `block`, the only one, says that it nearly always goes there, or hardly
/// ever.
enum class Odds { Likely, Unlikely, Unknown };
Odds odds_of(const llvm::BasicBlock& block);

/// Threads that run alone store what they have looked up a reason for without a branch. Some loops
/// look up a place in a list, read there, and store or not depending on the value, as searches of
/// graphs do. The branch cannot be predicted, and a misprediction is corrected only when the read
/// has come back from far away. All that began behind it is lost: a thread waits for one read at a
/// time. So the store is always done, to its place or to an unused one, and the reads of many trips
/// are under way at once.
///
/// `kernel` is for one thread, in plain control flow, after expand_alignment_checks. Returns how
/// many branches are gone.
unsigned if_convert_stores(llvm::Function& kernel);

/// Each loop has one back edge. Joins the back edges of each loop of `function` in a new block.
/// Where lanes execute in step, those that skip the rest of a trip (`continue`) wait there for the
/// others. LLVM's loop-simplify would make two loops of one with two back edges where a value
/// changes along one of them alone: lanes that skip trips would go through the inner one without
/// the others. Returns whether anything changed.
bool join_latches(llvm::Function& function);

/// Where both ways of a branch divide by the same number, one division does for both. A gang whose
/// threads part goes both ways, and divides twice; where the ways have ways of their own, as in
/// conversions of colours, more often. Divisions take longest of all arithmetic. So what is to be
/// divided is chosen before the branch, and divided there: each thread divides what it did before.
/// For the sources of gangs, before if-conversion: without their divisions more of them are short.
/// Returns how many divisions went.
unsigned share_divisions(llvm::Function& function);

}  // namespace pycuda::cpu::simt
