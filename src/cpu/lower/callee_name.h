// SPDX-License-Identifier: MIT
// Which function a value is a call of: pseudo functions are distinguished by name.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Value.h>

namespace pycuda::cpu::lower {

/// The name of the function that `value` calls; empty if that is not a call, or is indirect.
inline llvm::StringRef callee_name(const llvm::Value& value) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&value);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee ? callee->getName() : llvm::StringRef();
}

}  // namespace pycuda::cpu::lower
