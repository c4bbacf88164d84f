// SPDX-License-Identifier: MIT
#include "cpu/jit/step_functions.h"

#include <cstddef>

#include "cpu/jit/half_comparisons.h"
#include "cpu/jit/host_target.h"
#include "cpu/jit/llvm_passes.h"
#include "cpu/jit/long_tiles.h"
#include "cpu/jit/structure_gathers.h"
#include "cpu/lower/processor_flushes.h"
#include "cpu/simt/arithmetic/approximate.h"
#include "cpu/simt/arithmetic/busy_divider.h"
#include "cpu/simt/arithmetic/extrema.h"
#include "cpu/simt/arithmetic/narrow_integers.h"
#include "cpu/simt/arithmetic/uniform_divisors.h"
#include "cpu/simt/gangs.h"
#include "cpu/simt/lanes/grid_stride.h"
#include "cpu/simt/lanes/own_rows.h"
#include "cpu/simt/next_rows.h"
#include "cpu/simt/scalar_threads.h"
#include "cpu/simt/unbranched_stores.h"

namespace pycuda::cpu::jit::steps {

namespace {

/// Where gathers are fast, two of them take as long as the shuffles that would replace them.
StructureLoads structure_loads() {
  const bool has_avx2 = llvm::StringRef(host_target().features).contains("+avx2");
  const bool gathers_well = has_avx2 && !jit::has_slow_gathers();
  return {jit::has_avx512() ? 64u : has_avx2 ? 32u : 16u, has_avx2, gathers_well ? 3u : 2u};
}

/// The scalar function of a kernel that never gets a vector form, or null.
llvm::Function* lone_function(const Subject& s) {
  llvm::Function* function = s.all.module().getFunction("f." + s.facts().name);
  return function && simt::stays_scalar(s.facts()) ? function : nullptr;
}

}  // namespace

bool has_avx512(const Compilation&) { return jit::has_avx512(); }
bool is_least(const Compilation& all) { return all.effort == Effort::Least; }
bool may_part_lanes(const Compilation& all) { return !all.options.checks.has(Check::Counters); }

bool is_optimised(const Compilation& all) { return all.effort != Effort::Least; }
bool fuses_products(const Compilation& all) {
  return is_optimised(all) && jit::has_fused_products();
}
bool has_slow_gathers(const Compilation& all) {
  return is_optimised(all) && jit::has_slow_gathers();
}
bool leaves_dead_code(const Compilation& all) { return all.leaves_dead_code; }
bool drops_forms(const Compilation& all) { return !all.plans && all.options.forms != Forms::all(); }
bool flushes(const Compilation& all) { return all.lowered.processor_flushes; }

/// Where a busy divider is known to be the bottleneck, and whether by registers or as whole roots.
bool divides_slowly(const Compilation& all) {
  return is_optimised(all) && divider_costs().has_value();
}
bool counts_registers(const Compilation& all) {
  return divides_slowly(all) && divider_costs()->in_registers;
}
bool counts_whole_roots(const Compilation&) {
  const auto costs = divider_costs();
  return costs && !costs->in_registers;
}
void balance_divider(const Subject& s) {
  if (const auto costs = divider_costs()) simt::relieve_divider(*s.function, *costs);
}

bool join_gathers(llvm::Module& module) {
  return join_structure_gathers(module, structure_loads());
}

void clean_scalar(const Subject& s) {
  clean_up_scalar(s.all.module(), *s.all.target, s.all.effort);
}
void approximations(const Subject& s) {
  simt::expand_approximations(*s.function, jit::has_avx512());
}
void expand_min_max(const Subject& s) { simt::expand_extrema(*s.function, jit::has_avx512()); }
void yield_in_spin_waits(const Subject& s) { simt::yield_in_spin_waits(s.all.module()); }
void choose_tiles(const Subject& s) { simt::drop_tiles(s.all.variants); }
void choose_width(const Subject& s) { simt::choose_width(*s.variant, s.facts()); }
void uniform_branches(const Subject& s) { simt::version_uniform_branches(*s.variant); }
void inner_loop_vectors(const Subject& s) {
  simt::call_for_own_rows(*s.function, s.variant->size, s.variant->processor.vector_bytes());
}
void narrow_integers(const Subject& s) { s.variant->narrow += simt::narrow_integers(*s.function); }
void pause_grid_strides(const Subject& s) {
  if (s.variant->guarded && !s.variant->size.is_tile())
    simt::pause_in_grid_strides(*s.function, s.variant->size.columns);
}
void uniform_copy(const Subject& s) { simt::copy_uniform(*s.variant); }
void choose_scalar(const Subject& s) { simt::choose_scalar(*s.variant, s.all.plan_of(s.kernel)); }
void drop_costly_tiles(const Subject& s) {
  drop_long_tiles(s.all.module(), s.all.kernels(), *s.all.target, s.all.plans);
}

void hoist_parameter_checks(const Subject& s) {
  s.all.parameter_checks = simt::hoist_parameter_checks(s.all.module(), s.all.kernels());
}
void region_loops(const Subject& s) { simt::make_region_loops(s.all.module(), s.facts()); }
void find_suspending(const Subject& s) {
  simt::find_suspending_kernels(s.all.module(), s.all.kernels());
}
void if_convert_stores(const Subject& s) {
  if (llvm::Function* function = lone_function(s)) simt::store_without_branches(*function);
}
void prefetch_next_rows(const Subject& s) {
  if (llvm::Function* function = lone_function(s)) simt::fetch_next_rows(*function);
}
void block_loops(const Subject& s) {
  simt::make_block_loops(s.all.module(), s.facts(), s.all.parameter_checks[s.kernel]);
}

void let_processor_flush(const Subject& s) { lower::let_processor_flush(s.all.module()); }
void split_coroutines(const Subject& s) { jit::split_coroutines(s.all.module(), *s.all.target); }
void run_least(const Subject& s) { jit::run_least(s.all.module(), *s.all.target); }
void run_default(const Subject& s) {
  run_default_pipeline(s.all.module(), *s.all.target, s.all.effort);
}
void half_compares(const Subject& s) {
  s.all.leaves_dead_code = widen_half_comparisons(s.all.module(), has_half_arithmetic());
}
void uniform_divisors(const Subject& s) {
  if (const auto costs = divider_costs()) simt::multiply_by_reciprocals(*s.function, *costs);
}
void safe_stack(const Subject& s) { separate_arrays(s.all.module(), *s.all.target); }
/// Each check asks which others dominate it, which takes too long in the longest functions.
void reduce_alignment_checks(const Subject& s) {
  constexpr std::size_t most_blocks = 2000;
  if (is_optimised(s.all) || s.function->size() <= most_blocks)
    simt::reduce_alignment_checks(*s.function);
}

}  // namespace pycuda::cpu::jit::steps
