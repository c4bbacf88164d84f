// SPDX-License-Identifier: MIT
// Which function a value is a call of: the pseudo functions are told apart by their names.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Value.h>

namespace pycuda::cpu::lower {

/// The name of the function that `value` calls; empty if it is no call, or one through a pointer.
inline llvm::StringRef callee_name(const llvm::Value& value) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&value);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee ? callee->getName() : llvm::StringRef();
}

}  // namespace pycuda::cpu::lower
