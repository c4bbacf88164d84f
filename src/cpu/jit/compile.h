// SPDX-License-Identifier: MIT
// A parsed PTX module to object code: lower, simt, optimise, emit.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cpu/jit/program.h"
#include "cpu/kernel_abi/facts.h"
#include "cpu/ptx/diagnostic.h"
#include "cpu/ptx/module.h"
#include "cpu/simt/analysis/plan.h"

namespace pycuda::cpu::jit {

struct Compiled {
  std::vector<KernelFacts> kernels;
  std::string object;  ///< a relocatable ELF file
};

struct Planned {
  std::vector<KernelFacts> kernels;
  std::vector<simt::Plan> plans;  ///< of each kernel; without notes where there is no vector form
};

/// The vector forms' plans, without code. Blocking, any thread.
base::Result<Planned, ptx::Diagnostics> plan_module(const ptx::Module& parsed,
                                                    const Options& options);

struct Checked {
  std::vector<KernelFacts> kernels;  ///< as far as they follow from the text
  bool is_large = false;             ///< compile_module would do it quickly: Options::quick
};

/// All that compile_module finds wrong with a module's text, in a hundredth of its time. Blocking,
/// any thread.
base::Result<Checked, ptx::Diagnostics> check_module(const ptx::Module& parsed,
                                                     const Options& options);

/// Blocking, any thread. A fatal error inside LLVM comes back as a diagnostic; the process lives.
base::Result<Compiled, ptx::Diagnostics> compile_module(const ptx::Module& parsed,
                                                        const Options& options);

/// LLVM's version, for cache keys and diagnosis.
const char* llvm_version();

}  // namespace pycuda::cpu::jit
