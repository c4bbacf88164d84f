// SPDX-License-Identifier: MIT
// What the lanes of a gang that is a warp get from a warp operation.
#include <llvm/IR/Constants.h>

#include "cpu/kernel_abi/frames.h"
#include "cpu/simt/analysis/shape.h"
#include "cpu/simt/analysis/warp_sites.h"

namespace pycuda::cpu::simt {

/// Lanes that execute an operation together get the same votes, reductions and masks.
Shape Shapes::of_warp_operation(const llvm::CallInst& call) const {
  const auto* kind = llvm::cast<llvm::ConstantInt>(call.getArgOperand(1));
  switch (static_cast<WarpOp>(kind->getZExtValue())) {
    case WarpOp::ShuffleIndex:
      return is_broadcast(call) ? Shape::uniform() : Shape::varying();
    case WarpOp::ShuffleUp:
    case WarpOp::ShuffleDown:
    case WarpOp::ShuffleButterfly:
    case WarpOp::MatchAny:
      return Shape::varying();
    default:
      return Shape::uniform();
  }
}

/// Whether all active lanes get the value of one lane. If that lane is not active, each keeps its
/// own: it must be known to be. All lanes that enter a gang's function are the whole warp in blocks
/// of whole warps, and the first so many otherwise.
bool Shapes::is_broadcast(const llvm::CallInst& shuffle) const {
  constexpr std::uint64_t last = warp_lanes - 1, segments = last << 8;
  if (size_.is_tile() || size_.lanes() != warp_lanes) return false;
  const Shape lane = of(shuffle.getArgOperand(4));
  const auto* range = llvm::dyn_cast<llvm::ConstantInt>(shuffle.getArgOperand(5));
  if (!lane.is_uniform() || !range || (range->getZExtValue() & segments) != 0) return false;
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(shuffle.getArgOperand(4));
  const std::uint64_t farthest = number ? number->getZExtValue() & last : last;
  if (farthest > (range->getZExtValue() & last)) return false;
  return (farthest == 0 || whole_rows_) && flow_.has_all_lanes(*shuffle.getParent());
}

}  // namespace pycuda::cpu::simt
