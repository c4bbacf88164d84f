// SPDX-License-Identifier: MIT
// Pass: local memory lies element by element, the gang's threads side by side, as on a GPU.
#pragma once

#include <llvm/IR/Function.h>

#include "cpu/simt/analysis/shape.h"

namespace pycuda::cpu::simt {

/// A thread's arrays in local memory mostly have an index that all threads share: a loop's counter.
/// One thread's array behind another's, each access is a gather or a scatter; element by element it
/// is a vector. Changes the variables for which that is so of some access, and of which all uses
/// are known: accesses in elements of a few sizes. For the sources of gangs, before their shapes
/// are asked for the last time. Returns how many variables changed.
unsigned interleave_local_arrays(llvm::Function& function, GangSize size);

}  // namespace pycuda::cpu::simt
