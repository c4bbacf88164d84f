// SPDX-License-Identifier: MIT
// Walks the calls of each kernel.

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "cpu/lower/memory_scopes.h"
#include "cpu/simt/analysis/call_targets.h"
#include "cpu/simt/analysis/shared_memory.h"
#include "cpu/simt/memory/memory_passes.h"

namespace pycuda::cpu::simt {
namespace {

bool is_called_by_pointer(const llvm::Function& function) {
  return function.hasFnAttribute("ptx-address-taken");
}

void unmark_all(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function))
    instruction.setMetadata(lower::generic_access, nullptr);
}

bool has_marks(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    return instruction.hasMetadata(lower::generic_access);
  });
}

}  // namespace

void unmark_unshared_accesses(llvm::Module& module) {
  if (llvm::none_of(module, has_marks)) return;
  llvm::DenseSet<const llvm::Function*> with_shared;
  for (const llvm::Function& kernel : module) {
    if (!kernel.hasFnAttribute("ptx-kernel")) continue;
    const auto reached = reached_from(&kernel);
    const auto uses = [](const llvm::Function* function) { return uses_shared_memory(*function); };
    if (llvm::any_of(reached, uses)) with_shared.insert(reached.begin(), reached.end());
  }
  for (llvm::Function& function : module) {
    if (!with_shared.contains(&function) && !is_called_by_pointer(function)) unmark_all(function);
  }
}

void unmark_inlined_accesses(llvm::Function& kernel) {
  if (!has_marks(kernel)) return;
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (call && (!callee || !callee->isDeclaration())) return;
  }
  if (!uses_shared_memory(kernel)) unmark_all(kernel);
}

}  // namespace pycuda::cpu::simt
