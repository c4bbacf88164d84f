// SPDX-License-Identifier: MIT
// In the order of what most launches find: the code itself, other code that is ready, none yet.
#include "cpu/variants/choose.h"

#include "cpu/variants/launch_form.h"
#include "cpu/variants/policy.h"

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
[[gnu::noinline]] Choice choose_meanwhile(const Kernel& code, const Kernel& tier, Form best,
                                          const Dim3& grid, const Dim3& block) {
  const Table& table = *tier.table;
  const Kernel& first = *table.ready(Variant::first());
  const Form usual = form_of_launch(tier.facts, grid, block);
  Choice choice;
  // What is made for small blocks may turn out not to be for this launch.
  for (const Form form : {best, usual}) {
    const Kernel* const made = table.with(form);
    if (runs(made, grid, block)) choice.code = made;
    // A makeshift is not what the launch needs: that came in its place, without this form.
    const bool is_there = made != nullptr && (made != &first || !first.facts.is_makeshift);
    if (!is_there && !choice.work) choice.work = work_on(table, Variant::of(form));
    if (choice.code != nullptr) break;
  }
  for (const Kernel* const other : {table.with(Form::Threads), &code}) {
    if (choice.code == nullptr && runs(other, grid, block)) choice.code = other;
  }
  // Nothing runs it: whoever asks for the form again is told why.
  if (choice.code == nullptr && !choice.work) choice.work = Variant::of(best);
  return choice;
}

/// The code with the form that the launch needs: `tier`, or other code that is ready.
inline Choice choose_form(const Kernel& code, const Kernel& tier, const Dim3& grid,
                          const Dim3& block) {
  const Form best = best_form(tier.facts, grid, block);
  if (tier.facts.forms.has(best) || tier.table == nullptr) [[likely]]
    return {&tier, std::nullopt};
  const Kernel* const made = tier.table->ready(Variant::of(best));
  if (runs(made, grid, block)) [[likely]]
    return {made, std::nullopt};
  return choose_meanwhile(code, tier, best, grid, block);
}

/// For a launch that another tier than this code's might run.
[[gnu::noinline]] Choice choose_tier(const Kernel& code, const Dim3& grid, const Dim3& block,
                                     bool streams) {
  if (code.table == nullptr) return {&code, std::nullopt};
  const Table& table = *code.table;
  if (streams) {
    const Kernel* const streaming = table.ready(Variant::streaming());
    if (runs(streaming, grid, block)) return {streaming, std::nullopt};
    return {&code, work_on(table, Variant::streaming())};
  }
  const Kernel* tier = table.ready(Variant::vectors());
  if (tier == nullptr) tier = table.ready(Variant::usual());
  if (tier == nullptr) tier = &code;
  if (!tier->facts.is_baseline) return choose_form(code, *tier, grid, block);
  return {tier, work_on(table, tier->facts.is_makeshift ? Variant::usual() : Variant::vectors())};
}

/// Whether the launch need not wait any longer for the form that it lacks: it is being compiled.
bool leaves_to_background(Table& table, const Choice& choice) {
  // Nothing is sooner compiled than code for threads one by one.
  if (choice.code == nullptr && choice.work == Variant::of(Form::Threads)) return false;
  const Background& background = table.background();
  const auto deadline = deadline_of(table.compile_time(), background.patience);
  if (!deadline) return false;
  const auto job = table.begin(*choice.work, background.soon);
  if (job == nullptr) return false;
  const bool is_done = deadline->count() != 0 && job->wait(*deadline, [] { return true; });
  return !is_done && table.state(*choice.work) == State::Making;
}

}  // namespace

Choice choose(const Kernel& code, const Dim3& grid, const Dim3& block, bool streams) {
  if (streams || code.facts.is_baseline) return choose_tier(code, grid, block, streams);
  return choose_form(code, code, grid, block);
}

Made code_for(const Kernel& code, const Dim3& grid, const Dim3& block) {
  for (;;) {
    const Choice choice = choose(code, grid, block);
    if (!choice.work || !choice.work->is_form()) return choice.code;
    Table& table = *code.table;
    if (!leaves_to_background(table, choice)) {
      if (Made made = table.make(*choice.work); !made && choice.code == nullptr) return made;
      continue;
    }
    if (choice.code != nullptr) return choice.code;
    if (Made threads = table.make(Variant::of(Form::Threads)); !threads) return threads;
  }
}

}  // namespace pycuda::cpu::variants
