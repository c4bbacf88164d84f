// SPDX-License-Identifier: MIT
// Pass: square roots by multiplication, where divisions keep the processor's one divider busy.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// Replaces llvm.sqrt of vectors of f32 in blocks of `gang` that would wait for the divider, by
/// steps of Newton's method and a last one that rounds correctly: the same bits. Roots of numbers
/// for which a step could leave the range of normal numbers stay with the divider. For processors
/// with AVX-512 whose divider takes vectors piece by piece, as Intel's do; the caller has asked.
void relieve_divider(llvm::Function& gang);

}  // namespace pycuda::cpu::simt
