// SPDX-License-Identifier: MIT
// Pass: both ways of a branch are computed where that takes a few operations.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// A branch on data of a thread's own is a mask for each of its ways, a question whether one of the
/// gang's threads goes there, and a choice for each result. Where its ways are a few operations of
/// f32 and come together at once, all threads compute both, and only the choices are left. For the
/// sources of gangs. Returns how many branches went.
unsigned if_convert(llvm::Function& function);

}  // namespace pycuda::cpu::simt
