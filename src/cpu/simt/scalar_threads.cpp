// SPDX-License-Identifier: MIT
// The order of the scalar path's passes.
#include "cpu/simt/scalar_threads.h"

#include <llvm/IR/Module.h>

#include "cpu/simt/alignment_checks.h"
#include "cpu/simt/block_loop.h"
#include "cpu/simt/coroutine.h"
#include "cpu/simt/special_values.h"
#include "cpu/simt/spin_wait.h"
#include "cpu/simt/suspension.h"

namespace pycuda::cpu::simt {

void lower_to_scalar_threads(llvm::Module& module, std::vector<KernelFacts>& facts) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) yield_in_spin_waits(function);
  }
  for (llvm::Function& function : module) expand_alignment_checks(function);
  const Suspension suspension(module);
  for (KernelFacts& kernel : facts) {
    llvm::Function* function = module.getFunction("f." + kernel.name);
    kernel.suspends = function && suspension.suspends(*function);
    if (function && !kernel.suspends) make_block_loop(*function, kernel.name);
  }
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() && !suspension.suspends(function))
      replace_special_values(function, {}, nullptr);
  }
  CoroutineMaker(module, suspension).run();
}

}  // namespace pycuda::cpu::simt
