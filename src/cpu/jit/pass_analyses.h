// SPDX-License-Identifier: MIT
// What LLVM's passes ask about code, for one run of passes.
#pragma once

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>

#include <optional>

#include "cpu/jit/pass_times.h"

namespace llvm {
class TargetMachine;
}  // namespace llvm

namespace pycuda::cpu::jit {

/// The four analysis managers that passes need, wired up for one target. They have the analyses
/// that the passes of this folder ask for, and no others: llvm::PassBuilder would link all of
/// LLVM's passes, a third of this library. A pass that asks for one that is missing crashes.
class PassAnalyses {
 public:
  explicit PassAnalyses(llvm::TargetMachine& target);

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;

 private:
  void add_function_analyses(llvm::TargetMachine& target);
  void add_other_analyses();
  void connect();

  llvm::PassInstrumentationCallbacks callbacks_;
  std::optional<PassTimes> times_;
};

}  // namespace pycuda::cpu::jit
