// SPDX-License-Identifier: MIT
// Square roots of 16 f32 and their reciprocals without the divider: the same bits.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/IRBuilder.h>

namespace pycuda::cpu::target {

/// Whether a number in `registers` (at least one, of <16 x float>) is outside the range in which
/// everything on the way to its root is a normal number: an i1.
llvm::Value* leaves_range_of_roots(llvm::IRBuilder<>& b, llvm::ArrayRef<llvm::Value*> registers);

struct MultipliedRoot {
  llvm::Value* root;
  llvm::Value* reciprocal;  ///< 1 / root, or null
};

/// Rounded as llvm.sqrt and a division of 1 by it are, for numbers in that range. For a Processor
/// with `native_operations`.
MultipliedRoot multiplied_root(llvm::IRBuilder<>& b, llvm::Value* x, bool with_reciprocal);

}  // namespace pycuda::cpu::target
