// SPDX-License-Identifier: MIT
// LLVM's default pipeline, as far as it has something to do for kernels.
#pragma once

#include <llvm/IR/PassManager.h>

#include <utility>

namespace pycuda::cpu::jit {

template <typename Manager, typename... Passes>
void add(Manager& manager, Passes&&... passes) {
  (manager.addPass(std::forward<Passes>(passes)), ...);
}

/// The passes of LLVM 19's O2 (thorough) or O1, in their order, with the inner steps (stages.h).
/// Left out are those that do nothing here: for C's library, OpenMP, profiles, vectorising (vectors
/// are made before), coroutines (split before) and link-time optimisation. The code is the same;
/// the library is smaller by what these would link.
llvm::ModulePassManager default_pipeline(bool thorough);

}  // namespace pycuda::cpu::jit
