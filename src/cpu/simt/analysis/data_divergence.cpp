// SPDX-License-Identifier: MIT
// Follows a condition to what it compares.
#include "cpu/simt/analysis/data_divergence.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>

namespace pycuda::cpu::simt {

bool diverges_by_data(const llvm::Value* condition, const Shapes& shapes) {
  const auto* operation = llvm::dyn_cast<llvm::Instruction>(condition);
  if (!operation || !shapes.of(operation).is_varying()) return false;
  if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(operation))
    return llvm::any_of(compare->operands(), [&](const llvm::Value* operand) {
      return shapes.of(operand).is_varying();
    });
  if (!llvm::isa<llvm::BinaryOperator, llvm::SelectInst, llvm::FreezeInst>(operation)) return true;
  return llvm::any_of(operation->operands(), [&](const llvm::Value* operand) {
    return diverges_by_data(operand, shapes);
  });
}

}  // namespace pycuda::cpu::simt
