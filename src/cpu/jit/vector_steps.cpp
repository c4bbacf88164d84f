// SPDX-License-Identifier: MIT
#include "cpu/jit/vector_steps.h"

#include <optional>
#include <string>
#include <utility>

#include "cpu/jit/llvm_passes.h"
#include "cpu/simt/analysis/suspension.h"
#include "cpu/simt/copy_kernels.h"
#include "cpu/simt/finished/finished_passes.h"
#include "cpu/simt/forms.h"
#include "cpu/simt/variants.h"

namespace pycuda::cpu::jit {
namespace {

/// Loops over rows that gangs go through as a whole, behind the first one: more are rare.
constexpr unsigned most_rounds = 6;

using Variants = std::vector<simt::KernelVariant*>;

Variants all_variants(Compilation& all) {
  Variants variants;
  variants.reserve(all.variants.size());
  for (simt::KernelVariant& variant : all.variants) variants.push_back(&variant);
  return variants;
}

void structure_uniform(const Variants& variants, Compilation& all) {
  std::vector<llvm::Function*> functions;
  for (const simt::KernelVariant* variant : variants) {
    if (variant->uniform) functions.push_back(variant->uniform);
  }
  prepare_open_gangs(functions, *all.target);
}

simt::GangSizes wanted_sizes(const Options& options) {
  const bool one_plane = options.forms == Form::Line;
  if (one_plane || options.forms == Form::DeepLine)
    return {options.gang_lanes, std::nullopt, one_plane ? simt::Line::OnePlane : simt::Line::Any};
  if (options.gang_lanes != 0) return {options.gang_lanes, std::nullopt};
  if (options.forms == Form::ShortRows) return {short_row, std::nullopt};
  if (options.forms == Form::SmallTiles) return {0, simt::GangSize(small_tile.x, small_tile.y)};
  return {};
}

}  // namespace

void copy_kernels(const Subject& subject) {
  Compilation& all = subject.all;
  if (all.plans) all.plans->resize(all.kernels().size());
  const unsigned longest =
      all.options.tier == Tier::Optimised ? simt::longest_ever : simt::longest_at_once;
  all.variants =
      simt::copy_kernels(all.module(), all.kernels(), wanted_sizes(all.options), all.options.forms,
                         all.effort == Effort::Thorough ? longest : 0, all.processor());
}

void structure_divergent_copies(const Subject& subject) {
  std::vector<llvm::Function*> functions;
  functions.reserve(subject.all.variants.size());
  for (const simt::KernelVariant& variant : subject.all.variants)
    functions.push_back(variant.function);
  prepare_for_gangs(functions, *subject.all.target);
}

void structure_uniform_copies(const Subject& subject) {
  structure_uniform(all_variants(subject.all), subject.all);
}

void structure_divided_copies(const Subject& subject) {
  structure_uniform(subject.all.divided, subject.all);
}

void reroll(const Subject& subject) {
  Variants changed = all_variants(subject.all);
  for (unsigned rounds = 0; rounds < most_rounds && !changed.empty(); ++rounds) {
    changed = simt::reroll_loops(changed);
    std::vector<llvm::Function*> functions;
    for (const simt::KernelVariant* variant : changed) functions.push_back(variant->function);
    prepare_open_gangs(functions, *subject.all.target);
  }
}

void version_uniform_quotients(const Subject& subject) {
  Compilation& all = subject.all;
  all.divided = simt::version_quotients(all.variants);
  structure_uniform(all.divided, all);
  Variants changed = all.divided;
  for (unsigned rounds = 0; rounds < most_rounds && !changed.empty(); ++rounds) {
    changed = simt::version_more_quotients(changed);
    structure_uniform(changed, all);
  }
}

void version_divided_branches(const Subject& subject) {
  simt::version_branches_again(subject.all.divided);
}

void widen(const Subject& subject) {
  Compilation& all = subject.all;
  const simt::Suspension suspension(all.module());
  for (simt::KernelVariant& variant : all.variants)
    simt::widen_variant(variant, suspension, all.kernels()[variant.kernel],
                        all.plan_of(variant.kernel));
  all.divided.clear();
  simt::erase_copies(all.variants);
}

void drop_unwanted_forms(const Subject& subject) {
  simt::drop_forms(subject.all.module(), subject.all.kernels(), subject.all.options.forms);
}

std::vector<llvm::Function*> vector_forms(Compilation& all) {
  std::vector<llvm::Function*> functions;
  for (const KernelFacts& kernel : all.kernels()) {
    for (const char* const form : {".gang", ".tail", ".tile"}) {
      if (llvm::Function* function = all.module().getFunction("f." + kernel.name + form))
        functions.push_back(function);
    }
  }
  return functions;
}

void clean_vector_forms(const Subject& subject) {
  clean_up_gangs(vector_forms(subject.all), *subject.all.target);
}

void mark_nontemporal_stores(const Subject& subject) {
  KernelFacts& kernel = subject.facts();
  llvm::Module& module = subject.all.module();
  if (kernel.gang_lanes == 0 || kernel.forms.are_lines()) return;
  const bool stream = subject.all.options.streaming_form;
  simt::Plan* plan = subject.all.plan_of(subject.kernel);
  if (llvm::Function* gang = module.getFunction("f." + kernel.name + ".gang"))
    simt::mark_nontemporal_stores(*gang, kernel.gang_lanes, stream, kernel.streamed,
                                  plan ? &plan->notes : nullptr);
  if (llvm::Function* tile = module.getFunction("f." + kernel.name + ".tile"))
    simt::mark_nontemporal_stores(*tile, {kernel.tile_columns, kernel.tile_rows}, stream,
                                  kernel.streamed, plan ? &plan->tile_notes : nullptr);
  kernel.streams = stream && !kernel.streamed.arrays.empty();
}

}  // namespace pycuda::cpu::jit
