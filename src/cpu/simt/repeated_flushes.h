// SPDX-License-Identifier: MIT
// Pass: what has been flushed is not flushed again.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// Before: lower's output, cleaned up, whose approximations are calls. Each operation with .ftz
/// flushes its operands and its result; results of others, and sums of such results round a loop,
/// are taken as they are.
void drop_repeated_flushes(llvm::Function& function);

}  // namespace pycuda::cpu::simt
