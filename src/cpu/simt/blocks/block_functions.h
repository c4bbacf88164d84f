// SPDX-License-Identifier: MIT
// The scalar path: every thread of a block is run by itself, as a loop or as a coroutine. Exact;
// the oracle of the vector path.
#pragma once

#include <vector>

#include "cpu/kernel_abi/facts.h"
#include "cpu/simt/versioning/alignment_checks.h"

namespace llvm {
class Module;
}

// A kernel from which no suspending pseudo function can be reached becomes a BlockFunction,
// `<name>.block`: a loop over the block's threads. Any other kernel becomes a ThreadFunction,
// `<name>.thread`: a coroutine (llvm.coro.*) that suspends where it waits, after writing what it
// waits for to its ThreadFrame. Device functions that may suspend are coroutines too; their callers
// resume them until they are done, so recursion and barriers in calls need nothing special.
//
// The gang functions of a kernel (variants.h) become `<name>.gangs`, a BlockFunction, or, when they
// wait at barriers, the coroutines `<name>.gang.thread` and `<name>.tail.thread`: a gang is one
// thread then. Forms that drop_forms left out are not made.
namespace pycuda::cpu::simt {

/// Puts yields into loops that wait for other threads, in all functions of `module`. Before:
/// registers are in SSA form, else spin-waits are not found, and do not yield.
void yield_in_spin_waits(llvm::Module& module);

/// By kernel: the alignment checks of its parameters alone, taken out of kernels without a vector
/// form, whose loop over the threads then asks them once (make_block_loops).
std::vector<ParameterChecks> hoist_parameter_checks(llvm::Module& module,
                                                    const std::vector<KernelFacts>& facts);

/// Cuts the kernel's gangs and tiles at their barriers: one function of a block runs all gangs from
/// barrier to barrier. Gangs that would become too long stay as they are.
void make_region_loops(llvm::Module& module, KernelFacts& kernel);

/// Sets KernelFacts::suspends.
void find_suspending_kernels(llvm::Module& module, std::vector<KernelFacts>& facts);

/// Whether the kernel never gets a vector form: not one whose form is made later, nor one that runs
/// thread by thread for comparison.
bool stays_scalar(const KernelFacts& kernel);

/// Makes the functions of a block for what does not suspend. `checks` are the kernel's.
void make_block_loops(llvm::Module& module, KernelFacts& kernel, const ParameterChecks& checks);

/// Makes coroutines of what suspends. They are not split yet: LLVM's passes for coroutines do that.
/// After it, no pseudo function is left.
void make_coroutines(llvm::Module& module);
/// The same for debuggers (own_stacks.h): what suspends stays as it is, and waits on a stack of its
/// own.
void give_threads_stacks(llvm::Module& module);

}  // namespace pycuda::cpu::simt
