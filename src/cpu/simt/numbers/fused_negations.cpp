// SPDX-License-Identifier: MIT

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

#include <vector>

#include "cpu/libdevice/double_patterns.h"
#include "cpu/simt/numbers/number_passes.h"

namespace pycuda::cpu::simt {

void fuse_negations(llvm::Function& function) {
  std::vector<llvm::IntrinsicInst*> products;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call && call->getIntrinsicID() == llvm::Intrinsic::fma &&
        call->getType()->getScalarType()->isDoubleTy())
      products.push_back(call);
  }
  for (llvm::IntrinsicInst* product : products) {
    for (llvm::Use& operand : product->args()) {
      auto* choice = llvm::dyn_cast<llvm::SelectInst>(operand.get());
      llvm::Value* positive = choice ? libdevice::negated(choice) : nullptr;
      if (!positive) continue;
      operand.set(llvm::IRBuilder<>(product).CreateFNeg(positive));
      llvm::RecursivelyDeleteTriviallyDeadInstructions(choice);
    }
  }
}

}  // namespace pycuda::cpu::simt
