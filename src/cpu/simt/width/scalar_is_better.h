// SPDX-License-Identifier: MIT
// Analysis: kernels whose threads each read scattered memory, which vectors do not help.
#pragma once

#include <string>

#include "cpu/simt/analysis/divergence.h"
#include "cpu/simt/analysis/shape.h"

namespace pycuda::cpu::simt {

/// Why a kernel is faster as a loop over threads, and the end of the loop that says so.
struct ScalarLoop {
  std::string reason;  ///< empty if it is not
  const llvm::Instruction* leaves = nullptr;
};

/// Why `function` is faster as a loop over threads; if it is. A loop that lanes leave one
/// by one keeps them all waiting for the last one: that pays when they compute, but not when most
/// of what they do is to read rows of their own, or stacks of their own in local memory, one word
/// after the other: a thread alone has these in its cache in order, and gangs gather them.
/// What may be contiguous is taken to be so. `function` is in the form that ControlFlow asks for.
ScalarLoop find_scalar_loop(llvm::Function& function, GangSize size);

}  // namespace pycuda::cpu::simt
