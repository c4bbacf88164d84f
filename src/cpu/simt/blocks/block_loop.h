// SPDX-License-Identifier: MIT
// Pass: a kernel that never suspends becomes a loop over the threads of a block.
#pragma once

#include <llvm/IR/Function.h>

#include "cpu/simt/versioning/alignment_checks.h"

namespace pycuda::cpu::simt {

/// Before: `kernel` is void (ptr %thread) and calls nothing that suspends. After: it is gone,
/// inlined into `<name>.block`, which is returned. With `checks`, that asks them once for the
/// block.
llvm::Function* make_block_loop(llvm::Function& kernel, llvm::StringRef name,
                                const ParameterChecks& checks);

}  // namespace pycuda::cpu::simt
