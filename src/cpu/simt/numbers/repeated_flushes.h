// SPDX-License-Identifier: MIT
// Pass: what has been flushed, or cannot be subnormal, is not flushed again.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// Before: lower's output, cleaned up, whose approximations are calls. Each operation with .ftz
/// flushes its operands and its result; results of others, and sums of such results round a loop,
/// are taken as they are, and so are sums with a constant that is not small, which are never
/// subnormal. What is added to such constants alone is not flushed either.
void drop_repeated_flushes(llvm::Function& function);

}  // namespace pycuda::cpu::simt
