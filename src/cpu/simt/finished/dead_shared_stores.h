// SPDX-License-Identifier: MIT
// Pass: values that are not read again are not stored in a block's shared memory.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// In functions that `runs_regions` marks, from a block's first barrier to its end: shared memory
/// ends with the block, so that what a tree of sums leaves in each of its steps is of no use once
/// later steps have it in registers. Takes such stores away where an access on every way to them
/// has shown that the memory is there. After forward_vector_stores, before bypass_unseen_payloads.
/// Says whether it has changed anything.
bool drop_dead_shared_stores(llvm::Function& function);

}  // namespace pycuda::cpu::simt
