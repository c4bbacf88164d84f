// SPDX-License-Identifier: MIT
// Pass: calls through pointers become calls of the functions that they may lead to.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace pycuda::cpu::simt {

/// What functions a module's calls lead to. A call through a pointer may lead to every function of
/// its type whose address is taken; and, where modules exchange pointers, to one of another module.
class CallTargets {
 public:
  explicit CallTargets(llvm::Module& module);

  /// The functions of this module that a call through a pointer may lead to.
  llvm::ArrayRef<llvm::Function*> of(const llvm::CallBase& call) const;
  /// Whether `function` may call itself, at any depth: it cannot be inlined everywhere.
  bool recurses(const llvm::Function& function) const { return recursive_.contains(&function); }

 private:
  bool reaches_itself(const llvm::Function& function) const;

  llvm::DenseMap<const llvm::FunctionType*, llvm::SmallVector<llvm::Function*, 4>> by_type_;
  llvm::DenseSet<const llvm::Function*> recursive_;
};

/// `from` and the functions of its module that they may call, at any depth.
llvm::SetVector<const llvm::Function*> reached_from(llvm::ArrayRef<const llvm::Function*> from);

/// Compares the pointers that `function` calls through with the functions they may lead to, if
/// these are few, and calls those by name. Any other pointer is called through as before, so each
/// call is changed once. Returns whether there is a new call by name.
bool name_call_targets(llvm::Function& function, const CallTargets& targets);

}  // namespace pycuda::cpu::simt
