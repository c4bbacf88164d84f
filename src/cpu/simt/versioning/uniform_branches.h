// SPDX-License-Identifier: MIT
// Pass: gangs whose lanes all pass a guard such as `i < n` go on without masks.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include "cpu/simt/analysis/shape.h"

namespace pycuda::cpu::simt {

/// A copy of `source` (which is in the form that ControlFlow asks for) in which each guard that
/// gangs reach as a whole becomes
///     if all lanes pass: the code behind it, as a branch that does not divide the gang;
///     else if none does: the other side, likewise;
///     else: the guard as it was, before a second copy of what it guards.
/// Guards within share that copy where gangs that they divide would soon be whole again anyway,
/// such as a loop's condition with the guard before the loop. A guard compares integers that are
/// affine with uniform ones; it may be the condition of a loop. Lanes meet again where the guard's
/// sides do. Null if there is no such guard. The copy's values that cross blocks are in memory: the
/// caller brings it into ControlFlow's form again.
llvm::Function* version_uniform_branches(llvm::Function& source, GangSize size);

}  // namespace pycuda::cpu::simt
