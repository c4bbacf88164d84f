// SPDX-License-Identifier: MIT
// The order of the passes that make kernels callable.
#include "cpu/simt/scalar_threads.h"

#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>

#include "cpu/simt/alignment_checks.h"
#include "cpu/simt/block_loop.h"
#include "cpu/simt/coroutine.h"
#include "cpu/simt/gang_loop.h"
#include "cpu/simt/grid_stride.h"
#include "cpu/simt/region_loop.h"
#include "cpu/simt/regions.h"
#include "cpu/simt/special_values.h"
#include "cpu/simt/spin_wait.h"
#include "cpu/simt/suspension.h"

namespace pycuda::cpu::simt {

void yield_in_spin_waits(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) yield_in_spin_waits(function);
  }
}

namespace {

/// Kernels that would become longer than this are coroutines.
constexpr std::size_t most_instructions = 30000;

void split_gangs(llvm::Module& module, KernelFacts& kernel) {
  llvm::Function* full = module.getFunction("f." + kernel.name + ".gang");
  llvm::Function* tail = module.getFunction("f." + kernel.name + ".tail");
  const auto is_too_long = [&] {
    return region_instructions(*full) > most_instructions ||
           region_instructions(*tail) > most_instructions;
  };
  if (kernel.strides_over_grid && is_too_long()) {
    drop_pauses(*full);
    kernel.strides_over_grid = false;
    kernel.gangs_suspend = region_instructions(*full) > full->getInstructionCount();
  }
  if (!kernel.gangs_suspend || is_too_long()) return;
  const Regions regions = split_at_barriers(*full, kernel.name + ".region");
  const Regions tail_regions = split_at_barriers(*tail, kernel.name + ".tail.region");
  // Never 0: that would say that there are no frames.
  kernel.gang_frame_bytes =
      llvm::alignTo(std::max({regions.frame_bytes, tail_regions.frame_bytes, std::uint64_t{1}}),
                    std::max(regions.frame_alignment, tail_regions.frame_alignment));
  make_region_loop(regions, tail_regions, kernel.gang_frame_bytes, kernel.name, kernel.gang_lanes);
  kernel.gangs_suspend = false;
}

}  // namespace

void lower_to_scalar_threads(llvm::Module& module, std::vector<KernelFacts>& facts) {
  for (llvm::Function& function : module) expand_alignment_checks(function);
  for (KernelFacts& kernel : facts) {
    if (kernel.gang_lanes != 0 && kernel.gangs_suspend) split_gangs(module, kernel);
  }
  const Suspension suspension(module);
  for (KernelFacts& kernel : facts) {
    llvm::Function* function = module.getFunction("f." + kernel.name);
    kernel.suspends = function && suspension.suspends(*function);
    if (function && !kernel.suspends) make_block_loop(*function, kernel.name);
    if (kernel.gang_lanes == 0 || kernel.gang_frame_bytes != 0) continue;
    llvm::Function* full = module.getFunction("f." + kernel.name + ".gang");
    llvm::Function* tail = module.getFunction("f." + kernel.name + ".tail");
    replace_gang_values(*full);
    replace_gang_values(*tail);
    if (!kernel.gangs_suspend) make_gang_loop(*full, *tail, kernel.name, kernel.gang_lanes);
  }
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() && !suspension.suspends(function))
      replace_special_values(function, {}, nullptr);
  }
  CoroutineMaker(module, suspension).run();
}

}  // namespace pycuda::cpu::simt
