// SPDX-License-Identifier: MIT
// What the steps between "copy-kernels" and "drop-lane-functions" do with variants.
#pragma once

#include <vector>

#include "cpu/kernel_abi/facts.h"
#include "cpu/simt/analysis/plan.h"
#include "cpu/simt/analysis/variant.h"
#include "cpu/simt/versioning/versioning_passes.h"

namespace pycuda::cpu::simt {

class Suspension;

/// In a kernel whose gangs are warps, lets a loop that was unrolled go trip by trip where lanes
/// leave it at different ones. Whether there was one: the caller brings the copy into ControlFlow's
/// form again.
bool reroll_loop(KernelVariant& source);

/// Drops the copies for tiles that are slower than rows.
void drop_tiles(std::vector<KernelVariant>& sources);

/// Chooses the variant's width, now that its loops and accesses are known.
void choose_width(KernelVariant& source, const KernelFacts& facts);

/// Versions the branches that whole gangs take alike (versioning/versioning_passes.h) in the
/// uniform copy, which it adds if there is none yet. The caller brings that copy into ControlFlow's
/// form.
void version_branches(KernelVariant& source);

/// Versions one thing that gangs divide as a whole (versioning/versioning_passes.h) there. Whether
/// there was one: the caller brings the copy into ControlFlow's form and asks again, for what else
/// decides how often loops run, such as behind a barrier the next loop over a row; and versions
/// branches once more.
bool version_quotient(KernelVariant& source, Quotients wanted);

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
