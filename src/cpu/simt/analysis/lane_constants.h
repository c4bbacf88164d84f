// SPDX-License-Identifier: MIT
// Analysis: integers that each lane of a warp knows when code is compiled.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Value.h>

#include <cstdint>
#include <vector>

namespace pycuda::cpu::simt {

/// Values of a scalar function that depend on constants and the lane's number alone, such as
/// `(%laneid & 3) * 8 + 4`. For gangs that are warps. Answers are kept: the function must not
/// change meanwhile.
class LaneConstants {
 public:
  /// The value in each of 32 lanes, zero-extended; empty if it is not known.
  std::vector<std::uint64_t> of(const llvm::Value& value);

 private:
  using Lanes = std::vector<llvm::Constant*>;  ///< one for each lane, or empty
  const Lanes& fold(const llvm::Value& value, unsigned depth);
  Lanes compute(const llvm::Value& value, unsigned depth);

  llvm::DenseMap<const llvm::Value*, Lanes> known_;
};

}  // namespace pycuda::cpu::simt
