// SPDX-License-Identifier: MIT
// Pass: threads that may wait run on stacks of their own, for debuggers.
#pragma once

#include <llvm/IR/Module.h>

#include "cpu/simt/analysis/suspension.h"

namespace pycuda::cpu::simt {

/// A coroutine returns where its thread waits: a debugger that steps over a barrier would find
/// itself in the scheduler, and functions that wait have no callers. Here functions stay as they
/// are, and a thread waits in a call (pycuda_cpu_wait_on_stack) that returns when it goes on.
/// Kernels that suspend get a ThreadFunction `<name>.thread`; after it, nothing suspends.
void run_on_own_stacks(llvm::Module& module, const Suspension& suspension);

}  // namespace pycuda::cpu::simt
