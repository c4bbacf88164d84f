// SPDX-License-Identifier: MIT
// LLVM's estimate of each instruction on this target, which counts parts of vectors and lanes.
#include "cpu/jit/long_tiles.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdint>

namespace pycuda::cpu::jit {
namespace {

/// Compiling takes a tenth of a millisecond for each, and more where they are many. Image filters
/// and products of matrices have some thousands.
constexpr std::int64_t most_operations = 18000;

/// Values on their way from block to block, which later passes keep in registers.
bool is_of_local_variable(const llvm::Instruction& instruction) {
  const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
  return pointer != nullptr && llvm::isa<llvm::AllocaInst>(pointer);
}

bool is_too_long(llvm::Function& tile, llvm::TargetMachine& target) {
  const llvm::TargetTransformInfo costs = target.getTargetTransformInfo(tile);
  std::int64_t sum = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(tile)) {
    if (is_of_local_variable(instruction)) continue;
    const auto cost =
        costs.getInstructionCost(&instruction, llvm::TargetTransformInfo::TCK_RecipThroughput)
            .getValue();
    if (cost) sum += *cost;
  }
  return sum > most_operations;
}

}  // namespace

void drop_long_tiles(llvm::Module& module, std::vector<KernelFacts>& kernels,
                     llvm::TargetMachine& target) {
  for (KernelFacts& kernel : kernels) {
    llvm::Function* tile = module.getFunction("f." + kernel.name + ".tile");
    if (tile == nullptr || !is_too_long(*tile, target)) continue;
    tile->eraseFromParent();
    kernel.tile_columns = kernel.tile_rows = 0;
    kernel.tile_frame_bytes = 0;
  }
}

}  // namespace pycuda::cpu::jit
