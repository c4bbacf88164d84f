// SPDX-License-Identifier: MIT
// Pass: gangs whose 32-bit indexes are small go on in a copy of the code that relies on it.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

#include "cpu/simt/analysis/shape.h"

namespace pycuda::cpu::simt {

/// For blocks of `function` that compute addresses from affine 32-bit numbers of unknown range.
/// The function has the form that ControlFlow needs, and keeps it. In each such block, the code
/// between the first extension of such a number and the last access becomes
///     if the numbers are small: the code, in which extensions are affine too
///     else: the code as it was.
void version_no_wrap(llvm::Function& function, GangSize size);

/// Whether an access is in the code for numbers that are not small: its addresses are anything.
bool is_unchecked(const llvm::Instruction& access);

}  // namespace pycuda::cpu::simt
