// SPDX-License-Identifier: MIT
// Passes over finished vector code.
#pragma once

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Function.h>

#include "cpu/kernel_abi/facts.h"
#include "cpu/simt/analysis/plan.h"
#include "cpu/simt/analysis/shape.h"

namespace pycuda::cpu::simt {

/// Values that are not read again are not stored in a block's shared memory. In functions that
/// `runs_regions` marks, from a block's first barrier to its end: shared memory ends with the
/// block, so that what a tree of sums leaves in each of its steps is of no use once later steps
/// have it in registers. Takes such stores away where an access on every way to them has shown that
/// the memory is there. After forward_vector_stores, before bypass_unseen_payloads. Says whether it
/// has changed anything.
bool drop_dead_shared_stores(llvm::Function& function);

/// Whether
/// any lane of consecutive numbers equals a constant, as in `if (threadIdx.x == 0)`, is a question
/// about the first lane's number, which says which lane it would be: a comparison of scalars,
/// behind which the number, and so the mask, is known. True if `function` was changed.
bool compare_first_lanes(llvm::Function& function);

/// Loads and stores under constant masks of a run of 1, 2, 4 ... lanes become those of shorter
/// vectors: unlike masked ones, they find in the store queue what was stored before. Gathers and
/// scatters of a few known lanes, as of each warp's last one, become accesses of one lane each.
/// True if `function` was changed.
bool shorten_masked_accesses(llvm::Function& function);

/// Which stores may go past the caches, and letting them. Of a gang's finished function, before it
/// gets its loop: finds the arrays that are written in whole lines of memory and not read
/// (KernelFacts::streamed), adds them to `streamed`, and with `stream` lets all stores to them go
/// past the caches. Launches must then meet the conditions; and who has run the gangs orders these
/// stores before others see that they are done. `notes`, if any, get a word about it.
///
/// None where a thread may see what another one on another core has written: kernels with atomic
/// and volatile accesses, fences and calls. Through barriers it is seen in any case: a block has
/// one core.
void mark_nontemporal_stores(llvm::Function& gang, GangSize size, bool stream,
                             StreamedStores& streamed, std::vector<PlanNote>* notes);

/// What an index may leave does not lie among return addresses. Variables that are not provably
/// accessed within their bounds alone leave the function's frame: for the OS thread's local memory
/// (pycuda_cpu_local_push), or, of a coroutine that is not yet split, for its CUDA thread's
/// (pycuda_cpu_variable_push): its frame holds what it goes on with. So do those of functions that
/// wait on a stack of their own. Of functions other than coroutines after all that may yet dissolve
/// variables. True if it changed something; not the blocks and branches.
bool use_safe_stack(llvm::Function& function, llvm::ScalarEvolution& evolution);

/// What was stored a few instructions ago is not loaded again. In functions that have the
/// attribute, gives loads of vectors, and of parts of vectors, the values that the stores before
/// them have left there. As LLVM's GVN, with three differences: parts of vectors and places that
/// several stores have filled together are built by shuffles; the executor's frames, which say
/// where a gang lies and what its source line is, are known to be no memory of the kernel's; and
/// stores stay.
bool forward_vector_stores(llvm::Function& function);

}  // namespace pycuda::cpu::simt
