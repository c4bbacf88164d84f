// SPDX-License-Identifier: MIT
#include "cpu/jit/vector_steps.h"

#include <optional>
#include <vector>

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

using Copy = llvm::Function* simt::KernelVariant::*;
constexpr Copy divergent = &simt::KernelVariant::function, uniform = &simt::KernelVariant::uniform;

/// Those that there are.
std::vector<llvm::Function*> copies_of(const Variants& variants, Copy which) {
  std::vector<llvm::Function*> copies;
  for (const simt::KernelVariant* variant : variants) {
    if (llvm::Function* copy = variant->*which) copies.push_back(copy);
  }
  return copies;
}

/// Lets `change` change each variant's copy in one place; those that it has changed stay.
void change_once(Variants& variants, Copy which, Compilation& all,
                 llvm::function_ref<bool(simt::KernelVariant&)> change) {
  std::erase_if(variants, [&](simt::KernelVariant* variant) { return !change(*variant); });
  prepare_open_gangs(copies_of(variants, which), *all.target);
}

/// The same again and again, until nothing is left to change.
void change_all(Variants variants, Copy which, Compilation& all,
                llvm::function_ref<bool(simt::KernelVariant&)> change) {
  for (unsigned rounds = 0; rounds < most_rounds && !variants.empty(); ++rounds)
    change_once(variants, which, all, change);
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
  Compilation& all = subject.all;
  prepare_for_gangs(copies_of(all_variants(all), divergent), *all.target);
}

void structure_uniform_copies(const Subject& subject) {
  Compilation& all = subject.all;
  prepare_open_gangs(copies_of(all_variants(all), uniform), *all.target);
}

void structure_divided_copies(const Subject& subject) {
  Compilation& all = subject.all;
  prepare_open_gangs(copies_of(all.divided, uniform), *all.target);
}

void promote_accesses(const Subject& subject) {
  simt::KernelVariant& variant = *subject.variant;
  llvm::Function* copy = variant.uniform ? variant.uniform : variant.function;
  if (!simt::promote_accesses(*copy)) return;
  variant.promoted = true;
  prepare_open_gangs({copy}, *subject.all.target);
}

void reroll(const Subject& subject) {
  change_all(all_variants(subject.all), divergent, subject.all, simt::reroll_loop);
}

void version_uniform_quotients(const Subject& subject) {
  using simt::Quotients;
  Compilation& all = subject.all;
  all.divided = all_variants(all);
  change_once(all.divided, uniform, all, [](simt::KernelVariant& variant) {
    return version_quotient(variant, variant.size.is_tile() ? Quotients::OfLoops : Quotients::All);
  });
  change_all(all.divided, uniform, all, [](simt::KernelVariant& variant) {
    return version_quotient(variant, Quotients::Further);
  });
  change_all(all.divided, uniform, all, [](simt::KernelVariant& variant) {
    return version_quotient(variant, Quotients::OfLoops);
  });
}

void version_divided_branches(const Subject& subject) {
  for (simt::KernelVariant* variant : subject.all.divided) simt::version_branches(*variant);
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
  const Options& options = subject.all.options;
  simt::drop_forms(subject.all.module(), subject.all.kernels(), options.forms, options.threads_too);
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
