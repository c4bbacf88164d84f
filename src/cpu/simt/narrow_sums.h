// SPDX-License-Identifier: MIT
// Pass: sums and products of bytes and halves are computed in as few bits as hold them.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// A thread's registers have 32 or 64 bits at no cost, and LLVM prefers 64; a vector's lanes are as
/// many as they are narrow. No pass that widens scalars again may follow.
void narrow_sums(llvm::Function& function);

}  // namespace pycuda::cpu::simt
