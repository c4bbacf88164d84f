// SPDX-License-Identifier: MIT
// In the order of what most launches find: the code itself, other code that is ready, none yet.
#include "cpu/variants/choose.h"

#include "cpu/variants/launch_form.h"
#include "cpu/variants/table.h"

namespace pycuda::cpu::variants {
namespace {

bool runs(const Kernel* code, const Dim3& grid, const Dim3& block) {
  return code != nullptr && can_run(code->facts, grid, block);
}

std::optional<Variant> work_on(const Table& table, Variant variant) {
  return table.may_come(variant) ? std::optional(variant) : std::nullopt;
}

/// For a launch that needs a form which `tier`, the vector code, lacks and nobody made. `code` is
/// what it was asked of: any baseline code can run it.
[[gnu::noinline]] Choice choose_form(const Kernel& code, const Kernel& tier, Form best,
                                     const Dim3& grid, const Dim3& block) {
  const Table& table = *tier.table;
  const Form usual = form_of_launch(tier.facts, grid, block);
  Choice choice;
  // What is made for small blocks may turn out not to be for this launch.
  for (const Form form : {best, usual}) {
    const Kernel* const made = table.with(form);
    if (runs(made, grid, block)) {
      choice.code = made;
      break;
    }
    if (made == nullptr && !choice.work) choice.work = work_on(table, Variant::of(form));
  }
  for (const Kernel* const other : {&code, table.with(Form::Threads)}) {
    if (choice.code == nullptr && runs(other, grid, block)) choice.code = other;
  }
  // Nothing runs it: whoever asks for the form again is told why.
  if (choice.code == nullptr && !choice.work) choice.work = Variant::of(best);
  return choice;
}

}  // namespace

Choice choose(const Kernel& code, const Dim3& grid, const Dim3& block, bool streams) {
  const Table* const table = code.table;
  if (table == nullptr) return {&code, std::nullopt};
  if (streams) {
    const Kernel* const streaming = table->ready(Variant::streaming());
    if (runs(streaming, grid, block)) return {streaming, std::nullopt};
    return {&code, work_on(*table, Variant::streaming())};
  }
  const Kernel* tier = &code;
  if (code.facts.is_baseline) {
    tier = table->ready(Variant::vectors());
    if (tier == nullptr) return {&code, work_on(*table, Variant::vectors())};
  }
  const Form best = best_form(tier->facts, grid, block);
  if (tier->facts.forms.has(best)) [[likely]]
    return {tier, std::nullopt};
  const Kernel* const made = table->ready(Variant::of(best));
  if (runs(made, grid, block)) [[likely]]
    return {made, std::nullopt};
  return choose_form(code, *tier, best, grid, block);
}

}  // namespace pycuda::cpu::variants
