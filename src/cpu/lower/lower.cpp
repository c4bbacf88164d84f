// SPDX-License-Identifier: MIT
// A whole module: declarations first, then each defined function.
#include "cpu/lower/lower.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <vector>

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

/// Which functions to lower, by index. Functions that are called through pointers may be any whose
/// address is taken.
std::vector<bool> wanted_functions(const ModuleLowering& lowering, const std::string& only_kernel) {
  const std::vector<ptx::Function>& functions = lowering.source().functions;
  std::vector<bool> wanted(functions.size(), only_kernel.empty());
  if (only_kernel.empty()) return wanted;
  for (std::uint32_t i = 0; i < functions.size(); ++i) {
    if (lowering.calls().address_taken(i)) wanted[i] = true;
    if (!functions[i].is_entry || functions[i].name != only_kernel) continue;
    for (const std::uint32_t reached : lowering.calls().reachable(i)) wanted[reached] = true;
  }
  // What a function whose address is taken calls in turn.
  for (std::uint32_t i = 0; i < functions.size(); ++i) {
    if (!lowering.calls().address_taken(i)) continue;
    for (const std::uint32_t reached : lowering.calls().reachable(i)) wanted[reached] = true;
  }
  return wanted;
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
  const std::vector<bool> wanted = wanted_functions(lowering, options.only_kernel);
  for (std::uint32_t i = 0; i < parsed.functions.size(); ++i) {
    const ptx::Function& function = parsed.functions[i];
    if (!function.is_defined || !wanted[i]) continue;
    FunctionLowering(lowering, function, lowering.function(i)).run();
    if (function.is_entry) result.kernels.push_back(kernel_facts(lowering, i));
  }
  if (!diagnostics.empty()) return diagnostics;
  return result;
}

}  // namespace pycuda::cpu::lower
