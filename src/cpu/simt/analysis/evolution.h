// SPDX-License-Identifier: MIT
// Analysis: scalar evolution of one function, with what it needs.
#pragma once

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>

#include <optional>

namespace pycuda::cpu::simt {

struct Evolution {
  explicit Evolution(llvm::Function& function);
  llvm::TargetLibraryInfoImpl no_library;
  std::optional<llvm::TargetLibraryInfo> library;
  llvm::AssumptionCache assumptions;
  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  std::optional<llvm::ScalarEvolution> of;
};

}  // namespace pycuda::cpu::simt
