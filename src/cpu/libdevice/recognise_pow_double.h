// SPDX-License-Identifier: MIT
// Pass: finds the function that CUDA's pow of doubles calls.
#pragma once

#include <llvm/IR/Module.h>

namespace pycuda::cpu::libdevice {

/// CUDA's compilers do not write pow of doubles where it is used, but what concerns special values,
/// and call a function for positive x (__internal_accurate_pow). Calls of a function that does what
/// that one does, instruction by instruction, become calls of an approximate function, within 2 ulp
/// as CUDA documents. Of functions as they are lowered: what cleans them up does so by the
/// processor. Where an exponent is constant the compilers may write a function for it, which stays.
/// Returns how many calls it found.
unsigned recognise_pow_double(llvm::Module& module);

}  // namespace pycuda::cpu::libdevice
