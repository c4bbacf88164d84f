// SPDX-License-Identifier: MIT
// Pass: finds the sequences that CUDA's compilers write for expf, logf, erfcf, powf, cbrtf, sinf,
// cosf, tanf, fmodf and others, and for exp, log and atan of doubles.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::libdevice {

/// Replaces what CUDA expands expf, logf, erfcf, powf and cbrtf to by calls of approximate
/// functions: shorter (expf needs a sum rounded down, logf a branch, erfcf two reciprocals), and at
/// most 1 ulp off, of erfcf 3.2, where CUDA documents 2, 1 and 4. Of erfcf it is the part that
/// computes of |x|; the choice by the sign of x stays. powf, within 2.3 ulp, loses the branches for
/// special numbers, cbrtf, within 1, its logarithm and exponential. In asinf and acosf an
/// approximate root and what refines it become the root. exp of an f64 keeps its bits and loses its
/// branches; log of one is less than 1 ulp off and atan, of which it is the part that computes of
/// |x|, less than 2, where CUDA documents 1 and 2. What is found by patterns written as text
/// (recognise_expressions.h) keeps CUDA's bounds too, and fmodf is exact. Comes after
/// drop_unseen_payloads, which removes what lies between the operations. Returns how many it found;
/// nothing of the sequences is left.
unsigned recognise_math(llvm::Function& function);

}  // namespace pycuda::cpu::libdevice
