// SPDX-License-Identifier: MIT

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <utility>

#include "cpu/simt/branches/branch_passes.h"

namespace pycuda::cpu::simt {

bool join_latches(llvm::Function& function) {
  using Latches = llvm::SmallVector<llvm::BasicBlock*, 4>;
  llvm::SmallVector<std::pair<llvm::BasicBlock*, Latches>, 4> headers;
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (loop->getLoopLatch()) continue;
    Latches latches;
    loop->getLoopLatches(latches);
    headers.emplace_back(loop->getHeader(), std::move(latches));
  }
  // A header's latches stay what they are while others are joined, for these are other blocks.
  for (auto& [header, latches] : headers) llvm::SplitBlockPredecessors(header, latches, ".trip");
  return !headers.empty();
}

}  // namespace pycuda::cpu::simt
