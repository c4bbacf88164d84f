// SPDX-License-Identifier: MIT
#include "cpu/simt/analysis/shared_memory.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/calls_by_name.h"

namespace pycuda::cpu::simt {

bool is_in_shared(const llvm::Value* address) {
  return lower::callee_name(*llvm::getUnderlyingObject(address, 0)) == lower::pseudo::shared_base;
}

bool may_be_in_shared(const llvm::Value* address) {
  llvm::SmallVector<const llvm::Value*> objects;
  llvm::getUnderlyingObjects(address, objects, nullptr, 0);
  return llvm::any_of(objects, is_in_shared);
}

bool uses_shared_memory(const llvm::Function& function) {
  return calls(function, lower::pseudo::shared_base);
}

}  // namespace pycuda::cpu::simt
