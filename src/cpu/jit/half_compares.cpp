// SPDX-License-Identifier: MIT

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "cpu/jit/finishing_passes.h"

namespace pycuda::cpu::jit {

bool widen_half_comparisons(llvm::Module& module, bool host_compares_halves) {
  bool changed = false;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* compare = llvm::dyn_cast<llvm::FCmpInst>(&instruction);
      if (compare == nullptr) continue;
      llvm::Type* type = compare->getOperand(0)->getType();
      const llvm::Type* element = type->getScalarType();
      if (!element->isBFloatTy() && !(element->isHalfTy() && !host_compares_halves)) continue;
      llvm::IRBuilder<> builder(compare);
      llvm::Type* wide = type->getWithNewType(builder.getFloatTy());
      for (llvm::Use& operand : compare->operands()) operand = builder.CreateFPExt(operand, wide);
      changed = true;
    }
  }
  return changed;
}

}  // namespace pycuda::cpu::jit
