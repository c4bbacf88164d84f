// SPDX-License-Identifier: MIT
// CUDA's functions that are found by patterns written as text.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace pycuda::cpu::libdevice {

/// What is to be a call of an approximate function.
struct Expression {
  llvm::Instruction* result;
  const char* name;
  llvm::SmallVector<llvm::Value*, 2> operands;
  /// Of regions that this was the only one to read, maybe.
  llvm::SmallVector<llvm::BasicBlock*, 2> regions;
  bool negative = false;  ///< it is the negative of the function
};

std::vector<Expression> find_expressions(llvm::Function& function);

}  // namespace pycuda::cpu::libdevice
