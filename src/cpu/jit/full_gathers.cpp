// SPDX-License-Identifier: MIT
#include "cpu/jit/full_gathers.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace pycuda::cpu::jit {

bool part_full_gathers(llvm::Module& module) {
  bool changed = false;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* gather = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (gather == nullptr || gather->getIntrinsicID() != llvm::Intrinsic::masked_gather) continue;
      const auto* mask = llvm::dyn_cast<llvm::Constant>(gather->getArgOperand(2));
      if (mask == nullptr || !mask->isAllOnesValue()) continue;
      auto* type = llvm::cast<llvm::FixedVectorType>(gather->getType());
      const auto alignment =
          llvm::cast<llvm::ConstantInt>(gather->getArgOperand(1))->getMaybeAlignValue();
      llvm::IRBuilder<> builder(gather);
      llvm::Value* whole = llvm::PoisonValue::get(type);
      for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
        llvm::Value* pointer = builder.CreateExtractElement(gather->getArgOperand(0), lane);
        whole = builder.CreateInsertElement(
            whole, builder.CreateAlignedLoad(type->getElementType(), pointer, alignment), lane);
      }
      gather->replaceAllUsesWith(whole);
      gather->eraseFromParent();
      changed = true;
    }
  }
  return changed;
}

}  // namespace pycuda::cpu::jit
