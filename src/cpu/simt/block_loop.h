// SPDX-License-Identifier: MIT
// Pass: a kernel that never suspends becomes a loop over the threads of a block.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// Before: `kernel` is void (ptr %thread) and calls nothing that suspends. After: it is gone,
/// inlined into
/// `<name>.block`, which is returned.
llvm::Function* make_block_loop(llvm::Function& kernel, llvm::StringRef name);

}  // namespace pycuda::cpu::simt
