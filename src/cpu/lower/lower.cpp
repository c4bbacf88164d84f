// SPDX-License-Identifier: MIT
// A whole module: declarations first, then each defined function.
#include "cpu/lower/lower.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "cpu/lower/function_lowering.h"
#include "cpu/lower/kernel_facts.h"
#include "cpu/lower/module_lowering.h"

namespace pycuda::cpu::lower {

namespace {

void check_variables(ModuleLowering& lowering) {
  for (const ptx::Variable& variable : lowering.source().variables) {
    const bool in_memory =
        variable.space == ptx::Space::Global || variable.space == ptx::Space::Const;
    if (in_memory && variable.linkage == ptx::Linkage::Extern) {
      lowering.error(variable.position,
                     "the external variable '" + variable.name + "' is defined nowhere");
    }
  }
}

}  // namespace

base::Result<Lowered, ptx::Diagnostics> lower_module(const ptx::Module& parsed,
                                                     llvm::LLVMContext& context,
                                                     const Options& options) {
  ptx::Diagnostics diagnostics;
  Lowered result;
  result.module = std::make_unique<llvm::Module>("ptx", context);
  ModuleLowering lowering(parsed, *result.module, options, diagnostics);
  check_variables(lowering);
  for (std::uint32_t i = 0; i < parsed.functions.size(); ++i) {
    const ptx::Function& function = parsed.functions[i];
    if (!function.is_defined) continue;
    FunctionLowering(lowering, function, lowering.function(i)).run();
    if (function.is_entry) result.kernels.push_back(kernel_facts(lowering, i));
  }
  if (!diagnostics.empty()) return diagnostics;
  return result;
}

}  // namespace pycuda::cpu::lower
