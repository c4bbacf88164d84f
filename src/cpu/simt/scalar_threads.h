// SPDX-License-Identifier: MIT
// The scalar path: every thread of a block is run by itself, as a loop or as a coroutine. Exact;
// the oracle of the vector path.
#pragma once

#include <vector>

#include "cpu/kernel_abi/kernel.h"

namespace llvm {
class Module;
}

namespace pycuda::cpu::simt {

/// Puts yields into loops that wait for other threads, in all functions of `module`. Comes first.
void yield_in_spin_waits(llvm::Module& module);

/// Replaces the pseudo functions of `module` and makes each kernel callable from the executor.
///
/// A kernel from which no suspending pseudo function can be reached becomes a BlockFunction,
/// `<name>.block`: a loop over the block's threads. Any other kernel becomes a ThreadFunction,
/// `<name>.thread`: a coroutine (llvm.coro.*) that suspends where it waits, after writing what it
/// waits for to its ThreadFrame. Device functions that may suspend are coroutines too; their
/// callers resume them until they are done, so recursion and barriers in calls need nothing
/// special. Before: lower's output with registers in SSA form (else spin-waits are not seen, and do
/// not yield). After: no pseudo function is left;
/// `facts[i].suspends` is set. The coroutines are not split yet (the JIT's pipeline runs LLVM's
/// coroutine passes).
///
/// The gang functions of a kernel (gangs.h) become `<name>.gangs`, a BlockFunction, or, when they
/// wait at barriers, the coroutines `<name>.gang.thread` and `<name>.tail.thread`: a gang is one
/// thread then. Forms that drop_forms left out are not made.
void lower_to_scalar_threads(llvm::Module& module, std::vector<KernelFacts>& facts);

}  // namespace pycuda::cpu::simt
