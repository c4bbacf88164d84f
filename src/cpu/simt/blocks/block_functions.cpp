// SPDX-License-Identifier: MIT
// How vector and scalar functions become functions that the executor calls.
#include "cpu/simt/blocks/block_functions.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <optional>

#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/special_values.h"
#include "cpu/simt/analysis/suspension.h"
#include "cpu/simt/analysis/uniform_barriers.h"
#include "cpu/simt/analysis/warp_sites.h"
#include "cpu/simt/blocks/block_passes.h"
#include "cpu/simt/blocks/coroutine.h"
#include "cpu/simt/blocks/own_stacks.h"
#include "cpu/simt/blocks/regions.h"
#include "cpu/simt/memory/memory_passes.h"

namespace pycuda::cpu::simt {

void drop_notes_of_right_barriers(llvm::Function& full, llvm::Function* tail) {
  llvm::SmallVector<llvm::CallBase*, 16> notes;
  for (llvm::Function* gang : {&full, tail}) {
    if (!gang) continue;
    for (llvm::CallInst* note : calls_of(*gang, note_gang_barrier)) {
      // Of some and not of others would look as if gangs were missing.
      if (!note->hasFnAttr(for_all_lanes)) return;
      notes.push_back(note);
    }
  }
  for (llvm::CallBase* note : notes) note->eraseFromParent();
}

void yield_in_spin_waits(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) yield_in_spin_waits(function);
  }
}

namespace {

/// Kernels that would become longer than this are coroutines.
constexpr std::size_t most_instructions = 30000;

/// Shorter kernels without gangs are worth a second form, for parameters that are not aligned.
constexpr unsigned most_for_two_forms = 400;

/// Never 0: that would say that there are no frames.
std::uint64_t frame_bytes_of(const Regions& regions) {
  return llvm::alignTo(std::max(regions.frame_bytes, std::uint64_t{1}), regions.frame_alignment);
}

/// The threads of its blocks along x, y and z, as its gangs see them, if every launch has the same.
std::optional<Dim3> known_block(const KernelFacts& kernel) {
  const Dim3& block = kernel.required_block;
  if (block.x == 0 || kernel.fuses_blocks) return std::nullopt;
  if (kernel.forms.are_lines()) return Dim3{block.x * block.y * block.z, 1, 1};
  return block;
}

void split_gangs(llvm::Module& module, KernelFacts& kernel) {
  llvm::Function* full = module.getFunction("f." + kernel.name + ".gang");
  llvm::Function* tail = module.getFunction("f." + kernel.name + ".tail");
  const auto is_too_long = [&] {
    return region_instructions(*full) > most_instructions ||
           (tail && region_instructions(*tail) > most_instructions);
  };
  if (kernel.strides_over_grid && is_too_long()) {
    drop_pauses(*full);
    kernel.strides_over_grid = false;
    kernel.gangs_suspend = has_barriers(*full);
  }
  if (!kernel.gangs_suspend || is_too_long()) return;
  const bool agree = has_uniform_barriers(*full);
  if (agree && (!tail || has_uniform_barriers(*tail))) drop_notes_of_right_barriers(*full, tail);
  // Those that pause are gangs of many blocks.
  const Frames frames = tail || has_barriers(*full) ? Frames::Apart : Frames::Together;
  const Regions regions = split_at_barriers(*full, kernel.name + ".region", frames);
  kernel.gang_frame_bytes = frame_bytes_of(regions);
  std::optional<Regions> tail_regions;
  if (tail) {
    tail_regions = split_at_barriers(*tail, kernel.name + ".tail.region");
    // Frames of either kind follow one another.
    kernel.gang_frame_bytes =
        llvm::alignTo(std::max(kernel.gang_frame_bytes, frame_bytes_of(*tail_regions)),
                      std::max(regions.frame_alignment, tail_regions->frame_alignment));
  }
  make_region_loop(regions, tail_regions ? &*tail_regions : nullptr, kernel.gang_frame_bytes,
                   kernel.name + ".gangs", kernel.gang_lanes, agree, known_block(kernel));
  kernel.gangs_suspend = false;
}

/// The tiles' function becomes `<name>.tiles`, or the kernel does without.
void loop_over_tiles(llvm::Module& module, KernelFacts& kernel) {
  llvm::Function* tile = module.getFunction("f." + kernel.name + ".tile");
  const GangSize size(kernel.tile_columns, kernel.tile_rows);
  if (!has_barriers(*tile)) {
    replace_gang_values(*tile);
    make_gang_loop(*tile, nullptr, kernel.name + ".tiles", size);
  } else if (region_instructions(*tile) <= most_instructions) {
    const bool agree = has_uniform_barriers(*tile);
    if (agree) drop_notes_of_right_barriers(*tile, nullptr);
    const Regions regions = split_at_barriers(*tile, kernel.name + ".tile.region");
    kernel.tile_frame_bytes = frame_bytes_of(regions);
    make_region_loop(regions, nullptr, kernel.tile_frame_bytes, kernel.name + ".tiles", size, agree,
                     known_block(kernel));
  } else {
    tile->eraseFromParent();
    kernel.tile_columns = kernel.tile_rows = 0;
  }
}

}  // namespace

std::vector<ParameterChecks> hoist_parameter_checks(llvm::Module& module,
                                                    const std::vector<KernelFacts>& facts) {
  std::vector<ParameterChecks> checks(facts.size());
  const Suspension suspension(module);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    llvm::Function* function = module.getFunction("f." + facts[i].name);
    if (!function || facts[i].gang_lanes != 0 || facts[i].is_baseline) continue;
    if (suspension.suspends(*function) || function->getSubprogram() != nullptr ||
        function->getInstructionCount() > most_for_two_forms)
      continue;
    checks[i] = take_parameter_checks(*function);
  }
  return checks;
}

void make_region_loops(llvm::Module& module, KernelFacts& kernel) {
  if (!kernel.forms.have_gangs()) kernel.gangs_suspend = false;
  if (kernel.gang_lanes != 0 && kernel.gangs_suspend) split_gangs(module, kernel);
  if (kernel.tile_rows != 0 && kernel.forms.has(Form::Tiles)) loop_over_tiles(module, kernel);
}

void find_suspending_kernels(llvm::Module& module, std::vector<KernelFacts>& facts) {
  const Suspension suspension(module);
  for (KernelFacts& kernel : facts) {
    if (!kernel.forms.has(Form::Threads)) continue;
    const llvm::Function* function = module.getFunction("f." + kernel.name);
    kernel.suspends = function && suspension.suspends(*function);
  }
}

bool stays_scalar(const KernelFacts& kernel) {
  return !kernel.suspends && kernel.gang_lanes == 0 && !kernel.scalar_reason.empty();
}

void make_block_loops(llvm::Module& module, KernelFacts& kernel, const ParameterChecks& checks) {
  llvm::Function* function = module.getFunction("f." + kernel.name);
  if (function && !kernel.suspends) make_block_loop(*function, kernel.name, checks);
  if (kernel.gang_lanes == 0 || kernel.gang_frame_bytes != 0 || !kernel.forms.have_gangs()) return;
  llvm::Function* full = module.getFunction("f." + kernel.name + ".gang");
  llvm::Function* tail = module.getFunction("f." + kernel.name + ".tail");
  replace_gang_values(*full);
  if (tail) replace_gang_values(*tail);
  if (!kernel.gangs_suspend) make_gang_loop(*full, tail, kernel.name + ".gangs", kernel.gang_lanes);
}

void make_coroutines(llvm::Module& module) {
  const Suspension suspension(module);
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() && !suspension.suspends(function))
      replace_special_values(function, {}, nullptr);
  }
  CoroutineMaker(module, suspension).run();
}

void give_threads_stacks(llvm::Module& module) {
  run_on_own_stacks(module, Suspension(module));
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) replace_special_values(function, {}, nullptr);
  }
}

}  // namespace pycuda::cpu::simt
