// SPDX-License-Identifier: MIT
// Pass: gangs whose lanes agree on a quotient go on with one number.
#pragma once

#include <llvm/IR/Function.h>

#include "cpu/simt/analysis/shape.h"

namespace pycuda::cpu::simt {

/// Which divisions are worth a copy: all, or those alone that say how often loops run.
enum class Quotients { All, OfLoops };

struct VersionedQuotients {
  bool any = false;       ///< the function changed
  bool in_turns = false;  ///< gangs whose lanes have two quotients go on in two turns
};

/// Where gangs divide, as a whole, an affine value by a uniform one, they go on in a copy of what
/// follows if the first and the last lane have the same quotient: there it is uniform, and a
/// remainder affine. So trip counts of grid-stride loops that the compiler unrolled are uniform,
/// and so are rows of an index that is split into row and column. Where a loop's trips are counted
/// by steps no longer than a gang, most gangs have two quotients: they go through one more copy
/// twice, each time with the lanes of one of them. One place is opened at a time: what lies behind
/// a barrier needs one of its own. `function` is in the form that ControlFlow asks for. If it
/// changed, its values that cross blocks are in memory: the caller brings it into ControlFlow's
/// form again.
VersionedQuotients version_quotients(llvm::Function& function, GangSize size, Quotients wanted);

}  // namespace pycuda::cpu::simt
