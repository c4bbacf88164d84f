// SPDX-License-Identifier: MIT
// Products of floats of 8, 6 and 4 bits whose rows of a and columns of b have scales: one, two or
// four along k, bytes of a register. Of the group of four lanes that has rows g and 8 + g, two
// neighbours hold the scales of a, one for each; one lane of group n holds those of column n of b.
#pragma once

#include "cpu/lower/matrix_tile.h"

namespace pycuda::cpu::lower {

/// What .kind, and with .block_scale the type and number of scales say.
struct NarrowKind {
  ProductTypes types;
  unsigned blocks = 0;  ///< 0: no scales
  bool scales_are_powers = true;
};

/// Nothing for instructions without .kind, and for kinds that there are not.
std::optional<NarrowKind> narrow_kind(const ptx::Instruction& instruction);

/// Operands 4 to 7, the scales of a and {byte, member}, those of b and the same, as
/// TileFactors::metadata.
std::vector<llvm::Value*> read_scales(FunctionLowering& lowering,
                                      const ptx::Instruction& instruction);

/// What the terms of each of the lane's sums are multiplied by: the left factor by the one number
/// and the right one by the other. In two parts, so that neither product overflows before the term
/// does.
class Scales {
 public:
  Scales(FunctionLowering& lowering, const TileProduct& product,
         const std::vector<llvm::Value*>& metadata);
  /// Factors of a term of sum `sum`, the first row's first, whose k lies in block `block`.
  llvm::Value* scaled_left(llvm::Value* left, unsigned sum, unsigned block) const;
  llvm::Value* scaled_right(llvm::Value* right, unsigned sum, unsigned block) const;

 private:
  llvm::Value* byte_of(llvm::Value* word, unsigned block) const;
  /// Those of a sum whose row and column have the words `left` and `right`.
  void add_powers(llvm::Value* left, llvm::Value* right);
  void add_numbers(llvm::Value* left, llvm::Value* right);

  FunctionLowering& lowering_;
  llvm::IRBuilder<>& b_;
  const unsigned blocks_;
  std::vector<llvm::Value*> left_, right_;  ///< of sum 0, block after block, then of sum 1
};

}  // namespace pycuda::cpu::lower
