// SPDX-License-Identifier: MIT
// Evaluates scalar code for given operands, with its branches: for patterns with special cases
// that compilers emit in many forms.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <functional>

namespace pycuda::cpu::libdevice {

/// Evaluates one value of a function. Only what is computed without memory and calls (but
/// intrinsics) can be followed, and no loops.
class SpecialCases {
 public:
  /// Whether a comparison's result for all operands follows from its results for those tried.
  using MayCompare = std::function<bool(const llvm::FCmpInst&)>;

  /// `passed_on` is a value that may be handed on, negated and asked whether it is NaN: what is
  /// given for it may stand for any number. Tests for NaN are followed everywhere.
  SpecialCases(llvm::Instruction& result, const llvm::DominatorTree& dominators,
               const llvm::Value* passed_on, MayCompare may_compare);

  /// `result` where the values that `given` names are those constants, or null if it depends on
  /// anything else.
  llvm::Constant* result_of(const llvm::DenseMap<const llvm::Value*, llvm::Constant*>& given);

 private:
  llvm::Constant* value_of(llvm::Value* value, unsigned depth);
  llvm::Constant* operation(llvm::Instruction& instruction, unsigned depth);
  /// Follows the branches from `start_` to the result.
  bool walk();

  llvm::Instruction& result_;
  llvm::BasicBlock* start_;
  const llvm::Value* passed_on_;
  MayCompare may_compare_;
  llvm::DenseMap<const llvm::Value*, llvm::Constant*> known_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> came_from_;
  /// What was made of `passed_on_`.
  llvm::SmallPtrSet<const llvm::Value*, 8> passed_;
};

}  // namespace pycuda::cpu::libdevice
