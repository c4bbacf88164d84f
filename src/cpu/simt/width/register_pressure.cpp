// SPDX-License-Identifier: MIT
// Sums are phis of numbers in the headers of loops; what a loop holds is loaded before it.
#include "cpu/simt/width/register_pressure.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace pycuda::cpu::simt {

std::uint64_t held_bytes(const llvm::Loop& loop) {
  const llvm::DataLayout& layout = loop.getHeader()->getModule()->getDataLayout();
  llvm::SmallPtrSet<const llvm::Value*, 16> held;
  std::uint64_t bytes = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (llvm::isa<llvm::PHINode>(instruction)) continue;
      for (const llvm::Value* operand : instruction.operands()) {
        const auto* load = llvm::dyn_cast<llvm::LoadInst>(operand);
        if (load && load->getType()->isFloatingPointTy() && !loop.contains(load) &&
            !load->hasMetadata(llvm::LLVMContext::MD_invariant_load) && held.insert(load).second)
          bytes += layout.getTypeStoreSize(load->getType()).getFixedValue();
      }
    }
  }
  return bytes;
}

namespace {

/// Bytes of numbers of a thread, each of the loop with most of them.
struct LoopBytes {
  std::uint64_t carried = 0;  ///< from one trip to the next: sums, as of a product of matrices of
                              ///< which each thread computes several elements
  std::uint64_t held = 0;     ///< loaded before the loop, used in every trip
};

LoopBytes bytes_of_loops(llvm::Function& kernel) {
  const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
  const llvm::DominatorTree dominators(kernel);
  const llvm::LoopInfo loops(dominators);
  LoopBytes most;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    std::uint64_t carried = 0;
    for (const llvm::PHINode& phi : loop->getHeader()->phis()) {
      if (phi.getType()->isFloatingPointTy())
        carried += layout.getTypeStoreSize(phi.getType()).getFixedValue();
    }
    most.carried = std::max(most.carried, carried);
    if (loop->isInnermost()) most.held = std::max(most.held, held_bytes(*loop));
  }
  return most;
}

}  // namespace

unsigned fit_registers(llvm::Function& kernel, unsigned lanes, std::uint64_t register_bytes) {
  constexpr unsigned fewest = 16;
  const LoopBytes each = bytes_of_loops(kernel);
  while (lanes > fewest &&
         (lanes * each.carried > register_bytes / 2 || lanes * each.held > register_bytes))
    lanes /= 2;
  return lanes;
}

}  // namespace pycuda::cpu::simt
