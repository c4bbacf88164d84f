// SPDX-License-Identifier: MIT
#include "cpu/simt/variants.h"

#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "cpu/simt/analysis/block_coarsening.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/divergence.h"
#include "cpu/simt/analysis/plan_traffic.h"
#include "cpu/simt/analysis/suspension.h"
#include "cpu/simt/analysis/warp_sites.h"
#include "cpu/simt/obstacles.h"
#include "cpu/simt/per_lane/per_lane_passes.h"
#include "cpu/simt/versioning/versioning_passes.h"
#include "cpu/simt/widen/widen.h"
#include "cpu/simt/width/gang_size.h"
#include "cpu/simt/width/scalar_is_better.h"

namespace pycuda::cpu::simt {

namespace {

/// Writes the gang's function, or says why there is none.
std::string widen(const KernelVariant& whole, llvm::Function& source, const Suspension& suspension,
                  bool full, const llvm::Twine& name, Plan* plan, llvm::Function*& gang,
                  Dim3& most_blocks) {
  const GangSize size = whole.size;
  ControlFlow flow(source);
  const Shapes shapes(source, flow, size);
  most_blocks = {std::min(most_blocks.x, shapes.most_blocks(0)),
                 std::min(most_blocks.y, shapes.most_blocks(1)),
                 std::min(most_blocks.z, shapes.most_blocks(2))};
  flow.assign_owners();
  ControlFlow guessed_flow(source);
  const Shapes guesses(source, guessed_flow, size, true);
  if (std::string found = obstacle(source, flow, shapes, suspension); !found.empty()) return found;
  Widener widener(source, flow, shapes, guesses, size, full, *whole.processor);
  if (plan) widener.record_in(*plan);
  gang = widener.run(name);
  inline_lane_functions(*gang);
  if (!llvm::verifyFunction(*gang)) return {};
  assert(false && "the vector form is no valid IR");
  gang->eraseFromParent();
  gang = nullptr;
  return "an internal error";
}

constexpr const char* rolled_note =
    "loops that were unrolled go trip by trip: lanes leave them at different ones";
constexpr const char* promoted_note =
    "what a loop stores at the same address in each trip stays in registers, where it accesses "
    "that memory in no other way";
constexpr const char* turns_note =
    "lanes that make one trip more than others go through such loops in two turns";
constexpr const char* full_gang_note =
    "a gang that passes a guard as a whole goes on without masks";

constexpr const char* narrow_note =
    "arithmetic on bytes and halves in 16 bits where these hold the results";

constexpr const char* scalar_loop_note = "leaves the loop that threads walk for different lengths";

void add_note(std::vector<PlanNote>& notes, const char* text) {
  notes.push_back({PlanNote::Kind::Other, text, {}, 0});
}

/// The form for tiles, if the kernel has one for other gangs.
void widen_tile(KernelVariant& source, const Suspension& suspension, KernelFacts& facts,
                Plan* plan) {
  if (facts.gang_lanes == 0) return;
  const std::string name = "f." + facts.name + ".tile";
  const auto write = [&](llvm::Function* from, llvm::Function*& tile) {
    Plan own;
    const bool done = from && widen(source, *from, suspension, true, name, plan ? &own : nullptr,
                                    tile, facts.most_gang_blocks)
                                  .empty();
    if (plan) {
      plan->tile_notes = std::move(own.notes);
      plan->tile_work = own.work;
    }
    return done;
  };
  llvm::Function* tile = nullptr;
  if (write(source.uniform, tile)) {
    if (plan && source.versioned) add_note(plan->tile_notes, full_gang_note);
  } else if (!write(source.function, tile)) {
    return;
  }
  if (plan && source.narrow != 0) add_note(plan->tile_notes, narrow_note);
  facts.tile_columns = source.size.columns;
  facts.tile_rows = source.size.rows;
}

/// Why threads are better left alone, noted in the plan; empty if they are not.
std::string reason_to_stay_scalar(const KernelVariant& source, Plan* plan) {
  if (!source.chosen || source.size.is_tile()) return {};
  const ScalarLoop walk = find_scalar_loop(*source.function, source.size);
  if (plan && walk.leaves)
    plan->notes = {note_of(*walk.leaves, PlanNote::Kind::Branch, scalar_loop_note)};
  return walk.reason;
}

std::string widen(KernelVariant& source, const Suspension& suspension, KernelFacts& facts,
                  Plan* plan) {
  const std::string name = "f." + facts.name;
  const bool rows = walks_rows(source, facts);
  llvm::Function *full = nullptr, *tail = nullptr;
  const auto write = [&](llvm::Function& from, bool whole, Plan* into, llvm::Function*& gang) {
    return widen(source, from, suspension, whole, name + (whole ? ".gang" : ".tail"), into, gang,
                 facts.most_gang_blocks);
  };
  std::string reason = write(*source.function, false, nullptr, tail);
  if (!reason.empty()) return reason;
  if (source.uniform && write(*source.uniform, true, plan, full).empty()) {
    if (plan && source.versioned) add_note(plan->notes, full_gang_note);
    if (plan && source.turns) add_note(plan->notes, turns_note);
  } else {
    if (plan) *plan = {};
    reason = write(*source.function, true, plan, full);
  }
  if (!reason.empty()) {
    tail->eraseFromParent();
    return reason;
  }
  if (plan && source.rolled) add_note(plan->notes, rolled_note);
  if (plan && source.promoted) add_note(plan->notes, promoted_note);
  if (plan && source.narrow != 0) add_note(plan->notes, narrow_note);
  facts.gang_lanes = source.size.lanes();
  facts.strides_over_grid = calls(*full, gang_pause);
  facts.gangs_suspend = facts.strides_over_grid || has_barriers(*full);
  facts.gangs_are_warps = source.warps;
  facts.waits_in_blocks = source.warps || has_barriers(*full);
  std::optional<std::uint32_t> fusible;
  if (!full->hasFnAttribute(lies_in_line)) fusible = coarsenable_block_size(*source.function);
  facts.fuses_blocks = fusible.has_value();
  facts.fusible_block = fusible.value_or(0);
  facts.walks_rows = fusible && rows && !facts.gangs_suspend;
  return {};
}

}  // namespace

void drop_tiles(std::vector<KernelVariant>& sources) {
  std::erase_if(sources, [](KernelVariant& source) {
    if (!source.size.is_tile() || gains_by_tiles(source)) return false;
    source.function->eraseFromParent();
    return true;
  });
}

namespace {

void set_uniform(KernelVariant& source, llvm::Function& copy) {
  // As ptx-opt finds it in a dump.
  copy.setName(source.function->getName() + ".uniform");
  source.uniform = &copy;
}

}  // namespace

void choose_width(KernelVariant& source, const KernelFacts& facts) {
  if (!settle_rows(source, facts)) settle_lanes(source, facts);
  if (!source.size.is_tile()) fit_masks(source);
}

void version_branches(KernelVariant& source) {
  llvm::Function* const before = source.uniform;
  llvm::Function* const made =
      version_uniform_branches(before ? *before : *source.function, source.size);
  if (!made) return;
  if (before) before->eraseFromParent();
  set_uniform(source, *made);
  source.versioned = true;
}

bool version_quotient(KernelVariant& source, Quotients wanted) {
  const bool is_new = !source.uniform;
  copy_uniform(source);
  const VersionedQuotients quotients = version_quotients(*source.uniform, source.size, wanted);
  source.turns |= quotients.in_turns;
  source.versioned |= quotients.any;
  if (is_new && !quotients.any) std::exchange(source.uniform, nullptr)->eraseFromParent();
  return quotients.any;
}

bool reroll_loop(KernelVariant& source) {
  const bool changed = source.warps && reroll_loops(*source.function, source.size);
  source.rolled |= changed;
  return changed;
}

void copy_uniform(KernelVariant& source) {
  if (source.uniform) return;
  llvm::ValueToValueMapTy map;
  set_uniform(source, *llvm::CloneFunction(source.function, map));
}

void choose_scalar(KernelVariant& source, Plan* plan) {
  source.scalar_reason = reason_to_stay_scalar(source, plan);
}

void widen_variant(KernelVariant& source, const Suspension& suspension, KernelFacts& facts,
                   Plan* plan) {
  if (source.size.is_tile()) {
    widen_tile(source, suspension, facts, plan);
  } else {
    facts.scalar_reason = source.scalar_reason.empty() ? widen(source, suspension, facts, plan)
                                                       : source.scalar_reason;
  }
}

void erase_copies(std::vector<KernelVariant>& sources) {
  for (const KernelVariant& source : sources) {
    source.function->eraseFromParent();
    if (source.uniform) source.uniform->eraseFromParent();
  }
  sources.clear();
}

}  // namespace pycuda::cpu::simt
