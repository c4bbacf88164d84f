// SPDX-License-Identifier: MIT

#include <llvm/IR/Module.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "cpu/jit/finishing_passes.h"
#include "cpu/jit/machine_cost.h"

namespace pycuda::cpu::jit {
namespace {

/// Compiling takes a tenth of a millisecond for each, and more where they are many. Image filters
/// and products of matrices have some thousands.
constexpr std::uint64_t most_operations = 18000;

simt::PlanNote note_of(const KernelFacts& kernel, std::uint64_t operations) {
  simt::PlanNote note;
  note.form = "no tiles of " + std::to_string(kernel.tile_columns) + " x " +
              std::to_string(kernel.tile_rows) + ": their code would have some " +
              std::to_string(operations) + " instructions, more than " +
              std::to_string(most_operations) + " take too long to compile";
  return note;
}

}  // namespace

void drop_costly_tiles(llvm::Module& module, std::vector<KernelFacts>& kernels,
                       llvm::TargetMachine& target, std::vector<simt::Plan>* plans) {
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    KernelFacts& kernel = kernels[i];
    llvm::Function* tile = module.getFunction("f." + kernel.name + ".tile");
    if (tile == nullptr) continue;
    const std::uint64_t operations = machine_cost(*tile, target);
    if (operations <= most_operations) continue;
    if (plans) (*plans)[i].notes.push_back(note_of(kernel, operations));
    tile->eraseFromParent();
    kernel.tile_columns = kernel.tile_rows = 0;
    kernel.tile_frame_bytes = 0;
  }
}

}  // namespace pycuda::cpu::jit
