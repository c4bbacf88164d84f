// SPDX-License-Identifier: MIT
#include "cpu/lower/promote_registers.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace pycuda::cpu::lower {

namespace {

struct Accesses {
  llvm::SmallVector<llvm::LoadInst*, 8> reads;
  llvm::StoreInst* write = nullptr;
};

/// False when the slot has two writes, or is used in another way.
bool collect(const RegisterSlot& slot, Accesses& found) {
  llvm::Type* const type = slot.memory->getAllocatedType();
  for (llvm::User* user : slot.memory->users()) {
    if (auto* read = llvm::dyn_cast<llvm::LoadInst>(user)) {
      if (read->getType() != type) return false;
      found.reads.push_back(read);
      continue;
    }
    auto* write = llvm::dyn_cast<llvm::StoreInst>(user);
    if (!write || write->getPointerOperand() != slot.memory ||
        write->getValueOperand()->getType() != type)
      return false;
    if (write == slot.zero) continue;
    if (found.write) return false;
    found.write = write;
  }
  return true;
}

void promote(const RegisterSlot& slot, const llvm::DominatorTree& tree) {
  Accesses accesses;
  if (!collect(slot, accesses)) return;
  llvm::Constant* const zero = llvm::Constant::getNullValue(slot.memory->getAllocatedType());
  // Code that is never reached may use its own results, in a circle that must not stay.
  const auto is_reached = [&](const llvm::Instruction* at) {
    return tree.isReachableFromEntry(at->getParent());
  };
  const bool written = accesses.write && is_reached(accesses.write);
  if (written) {
    for (const llvm::LoadInst* read : accesses.reads) {
      if (is_reached(read) && !tree.dominates(accesses.write, read)) return;
    }
  }
  for (llvm::LoadInst* read : accesses.reads) {
    read->replaceAllUsesWith(written && is_reached(read) ? accesses.write->getValueOperand()
                                                         : zero);
    read->eraseFromParent();
  }
  if (accesses.write) accesses.write->eraseFromParent();
  slot.zero->eraseFromParent();
  slot.memory->eraseFromParent();
}

}  // namespace

void promote_registers(llvm::Function& function, llvm::ArrayRef<RegisterSlot> slots) {
  llvm::DominatorTree tree(function);
  tree.updateDFSNumbers();
  for (const RegisterSlot& slot : slots) promote(slot, tree);
}

}  // namespace pycuda::cpu::lower
