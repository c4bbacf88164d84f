// SPDX-License-Identifier: MIT
// The order of instructions where a block has more arithmetic than processors look ahead.
#pragma once

#include <llvm/IR/Module.h>

namespace pycuda::cpu::jit {

/// Marks the functions with such blocks: they keep the order that LLVM's list scheduler for
/// parallelism gives them. It lets several chains of operations advance side by side, where source
/// order, which the machine scheduler later leaves nearly as it is, has a processor wait for one
/// chain with the next one beyond its reach. None where the processor does not take that scheduler.
void mark_long_arithmetic(llvm::Module& module, bool takes_list_scheduler);

/// Has LLVM ask for the mark. To be called once.
void schedule_long_arithmetic();

}  // namespace pycuda::cpu::jit
