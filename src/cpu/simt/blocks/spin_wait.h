// SPDX-License-Identifier: MIT
// Pass: loops that wait for other threads let these run.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// Puts a yield on the back edges of each loop that may leave only when another thread has written
/// something: loops of which an exit depends, through data or the choice at a phi, on a volatile or
/// atomic read inside the loop. A loop that retries a compare-and-swap with the value it found
/// there is none: it fails only when another thread went on. Before: registers are in SSA form
/// (else nothing is found). What a loop with one such read reads is noted down
/// (kernel_abi/spin_wait.h).
void yield_in_spin_waits(llvm::Function& function);

}  // namespace pycuda::cpu::simt
