// SPDX-License-Identifier: MIT
// Which LLVM passes run, and when.
#pragma once

#include <llvm/ADT/ArrayRef.h>

#include "cpu/jit/effort.h"

namespace llvm {
class Function;
class Module;
class TargetMachine;
}  // namespace llvm

namespace pycuda::cpu::jit {

/// Before the simt stage: registers become SSA values and dead code goes, so that coroutine frames
/// stay small. Pseudo functions are still there; nothing is inlined.
void clean_up_scalar(llvm::Module& module, llvm::TargetMachine& target, Effort effort);

/// Before widening, on the copies: no vectors of PTX's own, no switches, simple loops, LCSSA, no
/// critical edges.
void prepare_for_gangs(llvm::ArrayRef<llvm::Function*> copies, llvm::TargetMachine& target);
/// Brings the copies with open guards into the same form.
void prepare_open_gangs(llvm::ArrayRef<llvm::Function*> copies, llvm::TargetMachine& target);
/// After it: registers for the variables of gang functions, so that little lives across barriers.
void clean_up_gangs(llvm::ArrayRef<llvm::Function*> gangs, llvm::TargetMachine& target);

/// After it: splits the coroutines, then optimises. No pass may assume that a function is one of
/// the C library because of its name: PTX names are the user's.
void optimise(llvm::Module& module, llvm::TargetMachine& target, Effort effort);

}  // namespace pycuda::cpu::jit
