// SPDX-License-Identifier: MIT
#include "cpu/jit/contracts.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <utility>

#include "base/env.h"

namespace pycuda::cpu::jit {
namespace {

const char* branch_violation(const llvm::Function& function) {
  unsigned returns = 0;
  for (const llvm::BasicBlock& block : function) {
    const llvm::Instruction* end = block.getTerminator();
    if (!llvm::isa<llvm::BranchInst, llvm::ReturnInst, llvm::UnreachableInst>(end))
      return "a branch with more than two ways";
    if (llvm::isa<llvm::ReturnInst>(end) && ++returns > 1) return "more than one return";
    for (unsigned way = 0; way < end->getNumSuccessors(); ++way) {
      if (llvm::isCriticalEdge(end, way)) return "a critical edge";
    }
  }
  return nullptr;
}

const char* loop_violation(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>> back;
  llvm::FindFunctionBackedges(function, back);
  for (const auto& [from, to] : back) {
    if (!dominators.dominates(to, from)) return "a loop with several entries";
  }
  const llvm::LoopInfo loops(dominators);
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isLoopSimplifyForm()) return "a loop that is not in simplified form";
    if (!loop->isLCSSAForm(dominators)) return "a loop that is not in LCSSA form";
  }
  return nullptr;
}

/// Why `copy` is not as Ir::Structured says, or null.
const char* structure_violation(llvm::Function& copy) {
  const char* found = branch_violation(copy);
  return found ? found : loop_violation(copy);
}

/// Of one of a variant's copies, or null.
const char* copy_violation(llvm::Function& copy, bool is_uniform, Ir form) {
  switch (form) {
    case Ir::Demoted:
      return is_uniform ? nullptr : structure_violation(copy);
    case Ir::Structured:
      return structure_violation(copy);
    default:
      return nullptr;
  }
}

/// A call of a function that only stands for something, which no form after Ir::Vectors has.
std::string pseudo_violation(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    if (function.isDeclaration() && function.getName().starts_with("ptx.") && !function.use_empty())
      return "the pseudo function " + function.getName().str() + " is left";
  }
  return {};
}

}  // namespace

std::string violation(const Compilation& all, Ir form) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::verifyModule(all.module(), &stream)) return stream.str();
  if (form == Ir::Callable || form == Ir::Optimised) return pseudo_violation(all.module());
  for (const simt::KernelVariant& variant : all.variants) {
    for (llvm::Function* copy : {variant.function, variant.uniform}) {
      const char* found = copy ? copy_violation(*copy, copy == variant.uniform, form) : nullptr;
      if (found) return copy->getName().str() + " has " + found;
    }
  }
  return {};
}

bool verifies_contracts() {
#ifdef NDEBUG
  constexpr bool by_default = false;
#else
  constexpr bool by_default = true;
#endif
  return base::environment_switch("PYCUDA_CPU_VERIFY", by_default);
}

}  // namespace pycuda::cpu::jit
