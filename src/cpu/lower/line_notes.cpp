// SPDX-License-Identifier: MIT
#include "cpu/lower/line_notes.h"

#include <llvm/IR/Argument.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

namespace pycuda::cpu::lower {

bool is_line_note(const llvm::Instruction& instruction) {
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return store && store->isVolatile() && llvm::isa<llvm::ConstantInt>(store->getValueOperand()) &&
         llvm::isa<llvm::Argument>(store->getPointerOperand()->stripInBoundsConstantOffsets());
}

}  // namespace pycuda::cpu::lower
