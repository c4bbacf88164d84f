// SPDX-License-Identifier: MIT
// Passes that give whole gangs copies of code.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instruction.h>

#include "cpu/simt/analysis/shape.h"

namespace pycuda::cpu::simt {

/// Gangs whose 32-bit indexes are small go on in a copy of the code that relies on it. For blocks
/// of `function` that compute addresses from affine 32-bit numbers of unknown range. The function
/// has the form that ControlFlow needs, and keeps it. In each such block, the code between the
/// first extension of such a number and the last access becomes
///     if the numbers are small: the code, in which extensions are affine too
///     else: the code as it was.
void version_no_wrap(llvm::Function& function, GangSize size);

/// Whether an access is in the code for numbers that are not small: its addresses are anything.
bool is_unchecked(const llvm::Instruction& access);

/// Loops that the program's compiler unrolled go trip by trip again where lanes leave them at
/// different trips. Compilers write `for (j = first; j < end; j += 32)` down as a loop of a few
/// trips, as many as are left over by four, and one that makes four at a time. Where neighbouring
/// lanes begin at neighbouring elements they are then at different trips at the same time. Such
/// pairs of loops get a third one beside them, which makes all trips alone: for gangs whose lanes
/// all count their trips by `first` and `end`. That the second loop does what four trips of the
/// first do is made sure of; loops that write memory are left. `function` is in the form that
/// ControlFlow asks for, and has to be brought into it again where the answer is that it changed.
bool reroll_loops(llvm::Function& function, GangSize size);

/// Gangs whose lanes all pass a guard such as `i < n` go on without masks. A copy of `source`
/// (which is in the form that ControlFlow asks for) in which each guard that gangs reach as a whole
/// becomes
///     if all lanes pass: the code behind it, as a branch that does not divide the gang;
///     else if none does: the other side, likewise;
///     else: the guard as it was, before a second copy of what it guards.
/// Guards within share that copy where gangs that they divide would soon be whole again anyway,
/// such as a loop's condition with the guard before the loop. A guard compares integers that are
/// affine with uniform ones; it may be the condition of a loop. Lanes meet again where the guard's
/// sides do. Null if there is no such guard. The copy's values that cross blocks are in memory: the
/// caller brings it into ControlFlow's form again.
llvm::Function* version_uniform_branches(llvm::Function& source, GangSize size);

/// Which divisions are wanted: all, those alone that say how often loops run, or those that follow
/// in a copy which gangs have entered because their lanes agree on a quotient. The last need no
/// copy of their own.
enum class Quotients { All, OfLoops, Further };

struct VersionedQuotients {
  bool any = false;       ///< the function changed
  bool in_turns = false;  ///< gangs whose lanes have two quotients go on in two turns
};

/// Gangs whose lanes agree on a quotient go on with one number.
///
/// Where gangs divide, as a whole, an affine value by a uniform one, they go on in a copy of what
/// follows if the first and the last lane have the same quotient: there it is uniform, and a
/// remainder affine. So trip counts of grid-stride loops that the compiler unrolled are uniform,
/// and so are rows of an index that is split into row and column. Where a loop's trips are counted
/// by steps no longer than a gang, most gangs have two quotients: they go through one more copy
/// twice, each time with the lanes of one of them. An index that is split into more than two parts,
/// such as (i / (w * h), i / w % h, i % w), is divided again in the copy: gangs whose lanes do not
/// agree there leave it for the copy without agreements, which they begin from its beginning. One
/// place is opened at a time: what lies behind a barrier needs one of its own. `function` is in the
/// form that ControlFlow asks for. If it changed, its values that cross blocks are in memory: the
/// caller brings it into ControlFlow's form again.
VersionedQuotients version_quotients(llvm::Function& function, GangSize size, Quotients wanted);

/// What a loop reads and writes at the same address in each trip is kept in a register, such as the
/// sum of `for (k...) c[i] += a[k] * b[k]`. Compilers cannot do that where `a` or `b` may overlap
/// `c`. So it is tested before the loop that the bytes at such addresses have nothing in common
/// with what else the loop reads and writes in all its trips, as far as it writes either:
///     if they do not: the loop with registers; behind it, the stores of threads that have stored
///     else: the loop as it was
/// Each thread is asked for its own accesses alone: in such loops, which do not wait for others,
/// nothing says when other threads see what it stores. All active lanes have to agree.
/// Places in shared and local memory stay where they are, and so do loops in code for gangs that a
/// guard divides. Loops are in LCSSA form. True if `function` changed: it has to be brought into
/// ControlFlow's form again.
bool promote_accesses(llvm::Function& function);

}  // namespace pycuda::cpu::simt
