// SPDX-License-Identifier: MIT
// Pass: a function that may suspend its thread becomes a coroutine (LLVM's switched-resume kind,
// not yet split).
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>

#include <vector>

#include "cpu/simt/analysis/suspension.h"

namespace pycuda::cpu::simt {

/// A coroutine's ramp is `ptr (ptr %thread, ptr %memory, <the function's other parameters>, [ptr
/// %result])`: it runs to the first suspension or the end and returns the coroutine. With a null
/// %memory it runs nothing, stores the frame's size to ThreadFrame::scratch and returns null. The
/// frame lies in %memory, which must be aligned to 64 bytes.
///
/// Only a kernel's own coroutine is known to the scheduler (ThreadFrame::coroutine). A coroutine
/// that calls another one suspends when the callee does, leaving the ThreadFrame as the callee
/// wrote it, and resumes the callee when it is resumed: the scheduler sees one coroutine per
/// thread, at the price of one step per level of calls that wait. A thread that ends within a
/// callee stays suspended with state Exited and is never resumed.
class CoroutineMaker {
 public:
  CoroutineMaker(llvm::Module& module, const Suspension& suspension);

  /// Turns every suspending function of the module into a coroutine; kernels are named
  /// `<name>.thread`.
  void run();

 private:
  llvm::FunctionType* ramp_type(llvm::FunctionType* plain) const;
  llvm::Function* declare(llvm::Function& plain);
  llvm::Function* make_enter(llvm::Function& plain, llvm::Function& ramp);
  void convert(llvm::Function& plain, llvm::Function& ramp);

  llvm::Module& module_;
  const Suspension& suspension_;
  llvm::DenseMap<llvm::Function*, llvm::Function*> ramps_;   ///< by plain function
  llvm::DenseMap<llvm::Function*, llvm::Function*> enters_;  ///< the same; not all have one
  unsigned next_site_ = 1;
};

}  // namespace pycuda::cpu::simt
