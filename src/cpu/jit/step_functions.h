// SPDX-License-Identifier: MIT
// Adapters: functions of other files as functions of steps, and when steps are wanted. For
// stages.cpp alone.
#pragma once

#include <llvm/IR/Module.h>

#include "cpu/jit/llvm_passes.h"
#include "cpu/jit/step.h"

namespace pycuda::cpu::jit::steps {

// Functions of other files as steps' functions: of a function, of a copy and its gang's size, of
// the module, and of gathers that leave dead code.
template <auto change>
void each(const Subject& s) {
  change(*s.function);
}
template <auto change>
void sized(const Subject& s) {
  change(*s.function, s.variant->size);
}
template <auto change>
void whole(const Subject& s) {
  change(s.all.module());
}
template <auto change>
void gathers(const Subject& s) {
  s.all.leaves_dead_code |= change(s.all.module());
}
template <auto change>
void llvm_passes(const Subject& s) {
  change(s.all.module(), *s.all.target);
  s.all.leaves_dead_code = false;
}

// When steps are wanted.
bool has_native_operations(const Compilation& all);
bool fuses_products(const Compilation&);
bool is_least(const Compilation& all);
bool is_optimised(const Compilation& all);
/// Lanes stay together as on a device: nothing is counted of what they execute together.
bool may_part_lanes(const Compilation& all);
bool has_slow_gathers(const Compilation& all);
bool leaves_dead_code(const Compilation& all);
bool drops_forms(const Compilation& all);
bool flushes(const Compilation& all);
bool has_symbols(const Compilation& all);
bool divides_slowly(const Compilation& all);
bool counts_registers(const Compilation& all);
bool counts_whole_roots(const Compilation& all);

// One call each, with arguments of the compilation.
void balance_divider(const Subject& s);
void clean_scalar(const Subject& s);
void approximations(const Subject& s);
void expand_min_max(const Subject& s);
void yield_in_spin_waits(const Subject& s);
void choose_tiles(const Subject& s);
void choose_width(const Subject& s);
void uniform_branches(const Subject& s);
void inner_loop_vectors(const Subject& s);
void narrow_integers(const Subject& s);
void pause_grid_strides(const Subject& s);
void uniform_copy(const Subject& s);
void choose_scalar(const Subject& s);
void drop_costly_tiles(const Subject& s);
void hoist_parameter_checks(const Subject& s);
void region_loops(const Subject& s);
void find_suspending(const Subject& s);
void if_convert_stores(const Subject& s);
void prefetch_next_rows(const Subject& s);
void block_loops(const Subject& s);
void target_attributes(const Subject& s);
void let_processor_flush(const Subject& s);
void split_coroutines(const Subject& s);
void run_default(const Subject& s);
void run_least(const Subject& s);
void half_compares(const Subject& s);
void uniform_divisors(const Subject& s);
void safe_stack(const Subject& s);
void reduce_alignment_checks(const Subject& s);
void join_gathers(const Subject& s);
void masked_loops(const Subject& s);

}  // namespace pycuda::cpu::jit::steps
