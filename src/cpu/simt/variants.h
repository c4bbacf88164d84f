// SPDX-License-Identifier: MIT
// What the steps between "copy-kernels" and "drop-lane-functions" do with variants.
#pragma once

#include <vector>

#include "cpu/kernel_abi/facts.h"
#include "cpu/simt/analysis/plan.h"
#include "cpu/simt/analysis/variant.h"

namespace pycuda::cpu::simt {

class Suspension;

/// In kernels whose gangs are warps, lets loops that were unrolled go trip by trip where lanes
/// leave them at different ones. Returns the sources that changed, one loop of each: the caller
/// brings them into ControlFlow's form again.
std::vector<KernelVariant*> reroll_loops(const std::vector<KernelVariant*>& sources);

/// Drops the copies for tiles that are slower than rows.
void drop_tiles(std::vector<KernelVariant>& sources);

/// Chooses the variant's width, now that its loops and accesses are known.
void choose_width(KernelVariant& source, const KernelFacts& facts);

/// Adds the uniform copy if the kernel has a branch that whole gangs take alike
/// (versioning/versioning_passes.h). The caller brings that copy into ControlFlow's form.
void version_branches(KernelVariant& source);

/// Opens what gangs divide as a whole (versioning/versioning_passes.h), in the copies that
/// version_branches left: afterwards the caller brings those that are returned into
/// ControlFlow's form and opens guards once more.
std::vector<KernelVariant*> version_quotients(std::vector<KernelVariant>& sources);

/// Opens what else decides there how often loops run, such as behind a barrier the next loop over a
/// row. Returns those that changed; before it is asked again, and afterwards, as after the first.
std::vector<KernelVariant*> version_more_quotients(const std::vector<KernelVariant*>& sources);

/// Opens guards in the open copies of `sources`. Afterwards as after the first time.
void version_branches_again(const std::vector<KernelVariant*>& sources);

/// Adds the uniform copy where no pass has: it is what checks rely on that `function` is without.
void copy_uniform(KernelVariant& source);

/// Sets `scalar_reason` if the kernel is faster as a loop over threads (width/scalar_is_better.h).
void choose_scalar(KernelVariant& source, Plan* plan);

/// Writes `f.<name>.gang` (every lane has a thread) and `f.<name>.tail` (ThreadFrame::mask lanes
/// have one) beside `f.<name>` where that is possible, or for a tile `f.<name>.tile` (every lane
/// has a thread), and sets the facts. The stage "threads" makes both callable. Why a kernel
/// stays scalar is in the facts. `plan`, if any, gets the notes.
void widen_variant(KernelVariant& source, const Suspension& suspension, KernelFacts& facts,
                   Plan* plan);

/// Removes the variants and their functions.
void erase_copies(std::vector<KernelVariant>& sources);

}  // namespace pycuda::cpu::simt
