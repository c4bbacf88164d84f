// SPDX-License-Identifier: MIT
// A module while it is compiled: what the pipeline's steps read and change.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <vector>

#include "cpu/jit/effort.h"
#include "cpu/jit/program.h"
#include "cpu/kernel_abi/facts.h"
#include "cpu/lower/lower.h"
#include "cpu/simt/analysis/plan.h"
#include "cpu/simt/analysis/variant.h"
#include "cpu/simt/versioning/alignment_checks.h"

namespace pycuda::cpu::jit {

struct Compilation {
  const Options& options;  ///< its processor, too
  lower::Lowered lowered;
  std::unique_ptr<llvm::TargetMachine> target = nullptr;
  Effort effort = Effort::Thorough;
  std::vector<simt::Plan>* plans = nullptr;  ///< of each kernel, if only plans are wanted

  /// Between "copy-kernels" and "widen": copies of the kernels that may become vectors.
  std::vector<simt::KernelVariant> variants = {};
  /// Those that "uniform-quotients" changed.
  std::vector<simt::KernelVariant*> divided = {};
  /// By kernel, from "hoist-parameter-checks" to "block-loops".
  std::vector<simt::ParameterChecks> parameter_checks = {};
  /// Whether a step since "llvm-default" has left dead code behind.
  bool leaves_dead_code = false;

  llvm::Module& module() const { return *lowered.module; }
  std::vector<KernelFacts>& kernels() { return lowered.kernels; }
  const target::Processor& processor() const { return *options.processor; }
  simt::Plan* plan_of(std::size_t kernel) { return plans ? &(*plans)[kernel] : nullptr; }
};

}  // namespace pycuda::cpu::jit
