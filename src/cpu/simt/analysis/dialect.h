// SPDX-License-Identifier: MIT
// The IR dialect of the simt stage: every pseudo function, mark and attribute that its steps hand
// on to each other. Those of the lowering, which all of IR before "widen" may have, are in
// cpu/lower/pseudo.h; native.* are in cpu/target/native_operations.h.
#pragma once

namespace pycuda::cpu::simt {

// ---- Pseudo functions of a gang's source. "widen" replaces them but for gang_pause and
// gang_lanes.

/// i1 (i1): whether a condition holds for all lanes of a gang, or for none; active or not. Uniform.
/// They may say no where the truth is yes. From "uniform-branches".
inline constexpr const char* gang_all = "ptx.gang.all";
inline constexpr const char* gang_none = "ptx.gang.none";

/// i1 (i1): whether all active lanes say yes; uniform. From "reroll".
inline constexpr const char* active_all = "ptx.active.all";

/// iN (iN): the value of a gang's first lane, and of its last, active or not. Of affine values;
/// uniform. A name per type follows. From "uniform-quotients".
inline constexpr const char* gang_first = "ptx.gang.first.";
inline constexpr const char* gang_last = "ptx.gang.last.";

/// i1 (i32...): whether the numbers, affine ones, are from 0 to less than 2^30 in the first lane of
/// each row, active or not. Then no lane's wraps, and those of negative numbers are none. From
/// "no-wrap".
inline constexpr const char* gang_small = "ptx.gang.small";

/// void (ptr): the gang waits until the others have got as far; nothing depends on it but which
/// memory is walked when. It needs no thread of its own: a place for split_at_barriers. From
/// "grid-stride-pauses"; "region-loops" replaces it.
inline constexpr const char* gang_pause = "ptx.gang.pause";

// ---- Pseudo functions of vector forms.

/// i32 (ptr %thread): how many lanes of the gang have a thread; only in gang functions that are not
/// for full gangs. From "widen"; "region-loops" and "block-loops" replace it.
inline constexpr const char* gang_lanes = "ptx.gang.lanes";

// ---- Metadata of instructions, empty where nothing else is said.

/// On an indirect call: its possible targets have been named and inlined. From "copy-kernels".
inline constexpr const char* targets_named = "ptx.targets.named";

/// On a branch that a gang does not take as a whole: "uniform-branches" versions it no more.
inline constexpr const char* divergent_branch = "pycuda.divergent";

/// On a division that stays as it is: in code for gangs whose lanes do not agree, of which there is
/// one copy. From "uniform-quotients" and "reroll".
inline constexpr const char* unversioned_division = "pycuda.unversioned";

/// On the branch by which whole gangs that agree on a quotient come to their copy, and others to
/// theirs. By version_quotients.
inline constexpr const char* parts_whole_gangs = "pycuda.whole_gangs";

/// On an access in the code for indices that may wrap: its addresses are anything. From "no-wrap".
inline constexpr const char* unchecked_access = "pycuda.unchecked";

/// On an access in a loop that few gangs run, of which there is one more: plans do not list it.
/// From "promote-accesses".
inline constexpr const char* unlisted_access = "pycuda.unlisted";

/// On a local variable, with the bytes of an element (i64): it lies element by element, the gang's
/// threads side by side. From "interleave-local-arrays".
inline constexpr const char* interleaved_by_element = "pycuda.interleaved";

/// On a gather whose places a list in memory names, as those of sparse matrices and neighbours do.
/// Much of what it reads is not in the first cache, and an instruction for all lanes lets the
/// processor look further ahead than a load and an insertion for each. Small tables are faster by
/// single loads. From "widen"; "scalarise-gathers" leaves such gathers alone.
inline constexpr const char* indirect_access = "pycuda.indirect";

// ---- Attributes of functions.

/// The gangs are warps, and run in blocks whose rows are made of whole ones alone: ntid.x is a
/// multiple of 32. From "copy-kernels".
inline constexpr const char* whole_rows = "whole-rows";

/// The gangs lie along the linear thread index: there tid.x is the place in this line, and tid.y
/// and tid.z are zero. From "copy-kernels".
inline constexpr const char* lies_in_line = "lies-in-line";

/// The function runs the regions of a whole block. From "region-loops".
inline constexpr const char* runs_regions = "pycuda.runs-regions";

/// Its thread may wait in the function, on a stack of its own. From "own-stacks"; "safe-stack"
/// asks.
inline constexpr const char* waits_on_own_stack = "waits-on-own-stack";

// ---- How vector code tells the checks of barriers.

/// The call, of the executor (kernel_abi/checks.h). From "widen".
inline constexpr const char* note_gang_barrier = "pycuda_cpu_note_gang_barrier";

/// An attribute of such a call: all lanes that have a thread arrive. From "widen"; "region-loops"
/// drops those calls of kernels in which that is so at each barrier.
inline constexpr const char* for_all_lanes = "for-all-lanes";

}  // namespace pycuda::cpu::simt
