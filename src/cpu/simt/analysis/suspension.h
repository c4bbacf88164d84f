// SPDX-License-Identifier: MIT
// Analysis: which functions may suspend their thread.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace pycuda::cpu::simt {

/// True if `callee` is one of the pseudo functions at which a thread may wait.
bool is_suspending_pseudo(const llvm::Function& callee);

/// The functions of `module` from which a suspending pseudo function can be reached. An indirect
/// call reaches every function whose address is taken; if one of those suspends, all of them count,
/// since callers cannot tell them apart.
class Suspension {
 public:
  explicit Suspension(const llvm::Module& module);

  bool suspends(const llvm::Function& function) const { return functions_.contains(&function); }
  /// A call to a function that suspends (no pseudo function).
  bool is_suspending_call(const llvm::CallBase& call) const;

 private:
  bool body_suspends(const llvm::Function& function) const;

  llvm::DenseSet<const llvm::Function*> functions_;
  bool indirect_ = false;
};

}  // namespace pycuda::cpu::simt
