// SPDX-License-Identifier: MIT
// Sums are phis of numbers in the headers of loops.
#include "cpu/simt/carried_sums.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace pycuda::cpu::simt {

namespace {

/// Bytes of the numbers that a thread takes from one trip of a loop to the next, in the loop with
/// most of them: sums, as of a product of matrices of which each thread computes several elements.
std::uint64_t carried_bytes(llvm::Function& kernel) {
  const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
  const llvm::DominatorTree dominators(kernel);
  const llvm::LoopInfo loops(dominators);
  std::uint64_t most = 0;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    std::uint64_t bytes = 0;
    for (const llvm::PHINode& phi : loop->getHeader()->phis()) {
      if (phi.getType()->isFloatingPointTy())
        bytes += layout.getTypeStoreSize(phi.getType()).getFixedValue();
    }
    most = std::max(most, bytes);
  }
  return most;
}

}  // namespace

unsigned fit_registers(llvm::Function& kernel, unsigned lanes, std::uint64_t register_bytes) {
  constexpr unsigned fewest = 16;
  const std::uint64_t each = carried_bytes(kernel);
  while (lanes > fewest && lanes * each > register_bytes / 2) lanes /= 2;
  return lanes;
}

}  // namespace pycuda::cpu::simt
