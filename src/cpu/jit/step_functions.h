// SPDX-License-Identifier: MIT
// Adapters: functions of other files as functions of steps, and when steps are wanted. For
// stages.cpp alone.
#pragma once

#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cpu/jit/finishing_passes.h"
#include "cpu/jit/list_schedule.h"
#include "cpu/jit/llvm_passes.h"
#include "cpu/jit/step.h"
#include "cpu/lower/processor_flushes.h"
#include "cpu/simt/blocks/block_functions.h"
#include "cpu/simt/memory/memory_passes.h"
#include "cpu/simt/numbers/number_passes.h"
#include "cpu/simt/per_lane/per_lane_passes.h"
#include "cpu/simt/variants.h"
#include "cpu/target/target.h"
#include "cpu/target/target_machine.h"

namespace pycuda::cpu::jit::steps {

// Functions of other files as steps' functions: of a function, of it and what the processor is
// like, of a kernel that never gets a vector form, of a copy and its gang's size, of a variant, of
// a kernel's facts, of the module, and of gathers that leave dead code.
template <auto change>
void each(const Subject& s) {
  change(*s.function);
}
template <auto change>
void natively(const Subject& s) {
  change(*s.function, s.all.processor().native_operations);
}
template <auto change>
void by_divider(const Subject& s) {
  if (const auto& costs = s.all.processor().divider) change(*s.function, *costs);
}
template <auto change>
void lone(const Subject& s) {
  llvm::Function* function = s.all.module().getFunction("f." + s.facts().name);
  if (function && simt::stays_scalar(s.facts())) change(*function);
}
template <auto change>
void sized(const Subject& s) {
  change(*s.function, s.variant->size);
}
template <auto change>
void variant(const Subject& s) {
  change(*s.variant);
}
template <auto change>
void kernel(const Subject& s) {
  change(s.all.module(), s.facts());
}
template <auto change>
void whole(const Subject& s) {
  change(s.all.module());
}
template <auto change>
void for_target(const Subject& s) {
  change(s.all.module(), *s.all.target);
}
template <auto change>
void gathers(const Subject& s) {
  s.all.leaves_dead_code |= change(*s.function);
}
template <auto change>
void llvm_passes(const Subject& s) {
  change(s.all.module(), *s.all.target);
  s.all.leaves_dead_code = false;
}

// When steps are wanted.
inline bool is_least(const Compilation& all) { return all.effort == Effort::Least; }
inline bool is_optimised(const Compilation& all) { return !is_least(all); }
inline bool has_native_operations(const Compilation& all) {
  return all.processor().native_operations;
}
inline bool fuses_products(const Compilation& all) {
  return is_optimised(all) && all.processor().fused_products;
}
inline bool has_slow_gathers(const Compilation& all) {
  return is_optimised(all) && all.processor().slow_gathers;
}
/// Lanes stay together as on a device: nothing is counted of what they execute together.
inline bool may_part_lanes(const Compilation& all) {
  return !all.options.checks.has(Check::Counters);
}
/// Nothing is said of single accesses.
inline bool may_drop_accesses(const Compilation& all) { return !all.options.checks.any(); }
inline bool leaves_dead_code(const Compilation& all) { return all.leaves_dead_code; }
inline bool drops_forms(const Compilation& all) {
  return !all.plans && all.options.forms != Forms::all();
}
inline bool flushes(const Compilation& all) { return all.lowered.processor_flushes; }
inline bool has_variables(const Compilation& all) { return all.lowered.has_variables; }
inline bool has_symbols(const Compilation& all) { return all.options.symbols; }
/// Where a busy divider is known to be the bottleneck, and whether by registers or as whole roots.
inline bool divides_slowly(const Compilation& all) {
  return is_optimised(all) && all.processor().divider.has_value();
}
inline bool counts_registers(const Compilation& all) {
  return divides_slowly(all) && all.processor().divider->in_registers;
}
inline bool counts_whole_roots(const Compilation& all) {
  const auto& costs = all.processor().divider;
  return costs && !costs->in_registers;
}

// One call each, with arguments of the compilation.
inline void join_gathers(const Subject& s) {
  const target::Processor& processor = s.all.processor();
  // Where gathers are fast, two of them take as long as the shuffles that would replace them.
  s.all.leaves_dead_code |= join_structure_gathers(
      *s.function,
      {processor.vector_bytes, processor.masked_loads, processor.fast_gathers ? 3u : 2u});
}
inline void clean_scalar(const Subject& s) {
  clean_up_scalar(s.all.module(), *s.all.target, s.all.effort);
}
inline void choose_tiles(const Subject& s) { simt::drop_tiles(s.all.variants); }
inline void choose_width(const Subject& s) { simt::choose_width(*s.variant, s.facts()); }
inline void inner_loop_vectors(const Subject& s) {
  const auto vectorise = [&](llvm::Function& row) {
    target::set_target_attributes(row, s.all.processor());
    vectorise_loops(row, *s.all.target);
  };
  // Two registers of 16 bytes do as well as one of 32.
  const auto vector_bytes = std::max<std::uint64_t>(s.all.processor().vector_bytes, 32);
  simt::vectorise_inner_loops(*s.function, s.variant->size, vector_bytes, vectorise,
                              s.variant->size.is_tile() ? nullptr : s.all.plan_of(s.kernel));
}
inline void narrow_integers(const Subject& s) {
  s.variant->narrow += simt::narrow_integers(*s.function);
}
inline void pause_grid_strides(const Subject& s) {
  if (s.variant->versioned && !s.variant->size.is_tile())
    simt::pause_in_grid_strides(*s.function, s.variant->size.columns);
}
inline void choose_scalar(const Subject& s) {
  simt::choose_scalar(*s.variant, s.all.plan_of(s.kernel));
}
inline void drop_costly_tiles(const Subject& s) {
  jit::drop_costly_tiles(s.all.module(), s.all.kernels(), *s.all.target, s.all.plans);
}
inline void hoist_parameter_checks(const Subject& s) {
  s.all.parameter_checks = simt::hoist_parameter_checks(s.all.module(), s.all.kernels());
}
inline void find_suspending(const Subject& s) {
  simt::find_suspending_kernels(s.all.module(), s.all.kernels());
}
inline void block_loops(const Subject& s) {
  simt::make_block_loops(s.all.module(), s.facts(), s.all.parameter_checks[s.kernel]);
}
inline void target_attributes(const Subject& s) {
  target::set_target_attributes(s.all.module(), s.all.processor());
}
inline void let_processor_flush(const Subject& s) { lower::let_processor_flush(s.all.module()); }
inline void list_schedule(const Subject& s) {
  mark_long_arithmetic(s.all.module(), target::takes_list_scheduler());
}
inline void run_default(const Subject& s) {
  run_default_pipeline(s.all.module(), *s.all.target, s.all.effort);
}
inline void half_compares(const Subject& s) {
  s.all.leaves_dead_code =
      widen_half_comparisons(s.all.module(), s.all.processor().half_arithmetic);
}
/// Each check asks which others dominate it, which takes too long in the longest functions.
inline void reduce_alignment_checks(const Subject& s) {
  constexpr std::size_t most_blocks = 2000;
  if (is_optimised(s.all) || s.function->size() <= most_blocks)
    simt::reduce_alignment_checks(*s.function);
}

}  // namespace pycuda::cpu::jit::steps
