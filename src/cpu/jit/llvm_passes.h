// SPDX-License-Identifier: MIT
// LLVM's own passes, as the steps of the pipeline (stages.cpp) run them.
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
/// LLVM's loop vectoriser.
void vectorise_loops(llvm::Function& function, llvm::TargetMachine& target);
/// After it: registers for the variables of gang functions, so that little lives across barriers.
void clean_up_gangs(llvm::ArrayRef<llvm::Function*> gangs, llvm::TargetMachine& target);

/// Cuts blocks into pieces that no pass takes long for (finishing_passes.h).
void shorten_all_blocks(llvm::Module& module);

/// Functions that nothing calls any more.
void drop_unused_functions(llvm::Module& module, llvm::TargetMachine& target);
/// One computation for several that are equal.
void share_expressions(llvm::Module& module, llvm::TargetMachine& target);
/// Values that nothing uses, and those that are constants after all.
void drop_dead_code(llvm::Module& module, llvm::TargetMachine& target);

/// LLVM's passes for coroutines, and use_safe_stack in these before they are split.
void split_coroutines(llvm::Module& module, llvm::TargetMachine& target);

/// LLVM's default pipeline with the inner steps: O2, or O1 where less effort is to be made. No pass
/// may assume that a function is one of the C library because of its name: PTX names are the
/// user's.
void run_default_pipeline(llvm::Module& module, llvm::TargetMachine& target, Effort effort);

/// What Effort::Least has instead of LLVM's default pipeline.
void run_least(llvm::Module& module, llvm::TargetMachine& target);

/// safe_stack.h, in functions other than coroutines.
void use_safe_stack(llvm::Module& module, llvm::TargetMachine& target);

}  // namespace pycuda::cpu::jit
