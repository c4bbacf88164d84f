// SPDX-License-Identifier: MIT
// Where threads may wait for others: what they leave for the block's scheduler there.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "cpu/simt/analysis/suspension.h"

namespace pycuda::cpu::simt {

/// Writes to `thread` (a ThreadFrame) what the scheduler needs to know of `call`, one of the pseudo
/// functions at which threads may wait; `suspend` writes how the thread waits. The value that
/// stands for the call's from then on, or null. `site` is the call's number.
llvm::Value* write_wait(llvm::IRBuilder<>& b, const llvm::CallInst& call, llvm::Value* thread,
                        unsigned site, llvm::function_ref<void()> suspend);

/// The calls of such functions in `function`, in the order of their sites' numbers: of the lanes
/// that stand at unmasked operations, those at the lowest site go first, so that the others meet
/// them. A site's number must be higher than those of all that lead to it, and higher than those of
/// the loops before it.
std::vector<llvm::CallInst*> waits_of(llvm::Function& function);

/// The functions of `module` that suspend, callees before their callers, as far as functions do not
/// call themselves: lanes that are in a call are behind those that wait for them in the caller, and
/// their sites' numbers must be lower.
std::vector<llvm::Function*> in_order_of_calls(llvm::Module& module, const Suspension& suspension);

}  // namespace pycuda::cpu::simt
