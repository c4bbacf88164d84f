// SPDX-License-Identifier: MIT
// LLVM's estimate of each instruction on this target, which counts parts of vectors and lanes.
#include "cpu/jit/long_tiles.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <cstddef>
#include <cstdint>
#include <string>

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

std::int64_t operations_of(llvm::Function& tile, llvm::TargetMachine& target) {
  const llvm::TargetTransformInfo costs = target.getTargetTransformInfo(tile);
  std::int64_t sum = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(tile)) {
    if (is_of_local_variable(instruction)) continue;
    const auto cost =
        costs.getInstructionCost(&instruction, llvm::TargetTransformInfo::TCK_RecipThroughput)
            .getValue();
    if (cost) sum += *cost;
  }
  return sum;
}

simt::PlanNote note_of(const KernelFacts& kernel, std::int64_t operations) {
  simt::PlanNote note;
  note.form = "no tiles of " + std::to_string(kernel.tile_columns) + " x " +
              std::to_string(kernel.tile_rows) + ": their code would have some " +
              std::to_string(operations) + " instructions, more than " +
              std::to_string(most_operations) + " take too long to compile";
  return note;
}

}  // namespace

void drop_long_tiles(llvm::Module& module, std::vector<KernelFacts>& kernels,
                     llvm::TargetMachine& target, std::vector<simt::Plan>* plans) {
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    KernelFacts& kernel = kernels[i];
    llvm::Function* tile = module.getFunction("f." + kernel.name + ".tile");
    if (tile == nullptr) continue;
    const std::int64_t operations = operations_of(*tile, target);
    if (operations <= most_operations) continue;
    if (plans) (*plans)[i].notes.push_back(note_of(kernel, operations));
    tile->eraseFromParent();
    kernel.tile_columns = kernel.tile_rows = 0;
    kernel.tile_frame_bytes = 0;
  }
}

}  // namespace pycuda::cpu::jit
