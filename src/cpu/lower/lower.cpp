// SPDX-License-Identifier: MIT
// A whole module: declarations first, then each defined function.
#include "cpu/lower/lower.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <vector>

#include "base/cxx_names.h"
#include "cpu/lower/function_lowering.h"
#include "cpu/lower/kernel_facts.h"
#include "cpu/lower/module_lowering.h"
#include "cpu/lower/processor_flushes.h"

namespace pycuda::cpu::lower {

namespace {

void check_variables(ModuleLowering& lowering) {
  for (const ptx::Variable& variable : lowering.source().variables) {
    const bool in_memory =
        variable.space == ptx::Space::Global || variable.space == ptx::Space::Const;
    if (in_memory && variable.linkage == ptx::Linkage::Extern) {
      lowering.error(
          variable.position,
          "the external variable '" + base::readable_name(variable.name) + "' is defined nowhere");
    }
  }
}

/// As CUDA's documentation has it, and its assembler up to version 12: only what a launch adds may
/// be more. (Version 13 takes as much as the device has, 227 KiB on an H200: such a kernel runs on
/// few others.)
void check_shared_variables(ModuleLowering& lowering, std::uint32_t kernel) {
  constexpr std::uint64_t limit = std::uint64_t{48} * 1024;
  const std::uint64_t needed = lowering.shared().needed_bytes(kernel);
  if (needed <= limit) return;
  const ptx::Function& function = lowering.source().functions[kernel];
  lowering.error(function.position, "kernel '" + function.name +
                                        "' uses too much shared data: " + std::to_string(needed) +
                                        " bytes are declared, " + std::to_string(limit) +
                                        " are allowed (dynamic shared memory may be larger)");
}

/// Which functions to lower, by index. Functions that are called through pointers may be any whose
/// address is taken.
std::vector<bool> wanted_functions(const ModuleLowering& lowering,
                                   const std::vector<std::string>& only_kernels) {
  const std::vector<ptx::Function>& functions = lowering.source().functions;
  const CallGraph& calls = lowering.calls();
  std::vector<bool> wanted(functions.size(), only_kernels.empty());
  if (only_kernels.empty()) return wanted;
  const auto want = [&](std::uint32_t function) {
    for (const std::uint32_t reached : calls.reachable(function)) wanted[reached] = true;
  };
  bool by_address = false;
  for (std::uint32_t i = 0; i < functions.size(); ++i) {
    if (!functions[i].is_entry || std::find(only_kernels.begin(), only_kernels.end(),
                                            functions[i].name) == only_kernels.end())
      continue;
    want(i);
    by_address = by_address || calls.uses_addresses(i);
  }
  for (std::uint32_t i = 0; by_address && i < functions.size(); ++i) {
    if (calls.address_taken(i)) want(i);
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
  const std::vector<bool> wanted = wanted_functions(lowering, options.only_kernels);
  result.processor_flushes = options.processor_flushes && processor_can_flush(lowering, wanted);
  if (result.processor_flushes) lowering.leave_flushes_to_processor();
  for (std::uint32_t i = 0; i < parsed.functions.size(); ++i) {
    const ptx::Function& function = parsed.functions[i];
    if (!function.is_defined || !wanted[i]) continue;
    FunctionLowering(lowering, function, lowering.function(i)).run();
    if (!function.is_entry) continue;
    check_shared_variables(lowering, i);
    result.kernels.push_back(kernel_facts(lowering, i));
  }
  if (SourceInformation* const known = lowering.source_information()) {
    known->finish();
    result.has_variables = std::ranges::any_of(
        *result.module, [](const llvm::Function& one) { return one.getSubprogram() != nullptr; });
  }
  if (CountedPlaces* const counted = lowering.counted()) {
    const auto shared = std::make_shared<const CountedPlaces>(std::move(*counted));
    for (KernelFacts& kernel : result.kernels) kernel.counted = shared;
  }
  for (KernelFacts& kernel : result.kernels) kernel.processor_flushes = result.processor_flushes;
  if (!diagnostics.empty()) return diagnostics;
  return result;
}

}  // namespace pycuda::cpu::lower
