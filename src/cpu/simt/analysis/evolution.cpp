// SPDX-License-Identifier: MIT
#include "cpu/simt/analysis/evolution.h"

#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

namespace pycuda::cpu::simt {

Evolution::Evolution(llvm::Function& function)
    : no_library(llvm::Triple(function.getParent()->getTargetTriple())),
      assumptions(function),
      dominators(function),
      loops(dominators) {
  no_library.disableAllFunctions();
  library.emplace(no_library);
  of.emplace(function, *library, assumptions, dominators, loops);
}

}  // namespace pycuda::cpu::simt
