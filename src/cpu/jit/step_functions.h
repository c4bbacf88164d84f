// SPDX-License-Identifier: MIT
// Adapters: functions of other files as functions of steps, and when steps are wanted. For
// stages.cpp alone.
#pragma once

#include <llvm/IR/Module.h>

#include "cpu/jit/llvm_passes.h"
#include "cpu/jit/step.h"

namespace pycuda::cpu::jit::steps {

/// The function of a kernel that never gets a vector form, or null.
llvm::Function* lone_function(const Subject& s);

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
  if (llvm::Function* function = lone_function(s)) change(*function);
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
void clean_scalar(const Subject& s);
void choose_tiles(const Subject& s);
void choose_width(const Subject& s);
void inner_loop_vectors(const Subject& s);
void narrow_integers(const Subject& s);
void pause_grid_strides(const Subject& s);
void choose_scalar(const Subject& s);
void drop_costly_tiles(const Subject& s);
void hoist_parameter_checks(const Subject& s);
void list_schedule(const Subject& s);
void find_suspending(const Subject& s);
void block_loops(const Subject& s);
void target_attributes(const Subject& s);
void let_processor_flush(const Subject& s);
void run_default(const Subject& s);
void half_compares(const Subject& s);
void reduce_alignment_checks(const Subject& s);
void join_gathers(const Subject& s);

}  // namespace pycuda::cpu::jit::steps
