// SPDX-License-Identifier: MIT
#include "cpu/variants/launch_code.h"

#include "base/log.h"
#include "cpu/variants/policy.h"

namespace pycuda::cpu::variants {
namespace {

/// Whether the launch need not wait for this form any longer: it is being compiled.
bool leaves_to_background(Table& table, Variant form) {
  const Background& background = table.background();
  const auto deadline = deadline_of(form.form(), table.compile_time(), background.patience);
  if (!deadline) return false;
  const auto job = table.begin(form, background.soon);
  if (job == nullptr) return false;
  const bool is_done = deadline->count() != 0 && job->wait(*deadline, [] { return true; });
  return !is_done && table.state(form) == State::Making;
}

}  // namespace

Made code_for(const Kernel& code, const Dim3& grid, const Dim3& block) {
  for (;;) {
    const Choice choice = choose(code, grid, block);
    if (!choice.work || !choice.work->is_form()) return choice.code;
    Table& table = *code.table;
    if (!leaves_to_background(table, *choice.work)) {
      if (Made made = table.make(*choice.work); !made) return made;
      continue;
    }
    if (table.first_notice(*choice.work))
      base::log(base::LogLevel::Info,
                "kernel '" + code.facts.name +
                    "' is long: blocks of this shape run in a slower form until theirs is made");
    if (choice.code != nullptr) return choice.code;
    if (Made threads = table.make(Variant::of(Form::Threads)); !threads) return threads;
  }
}

}  // namespace pycuda::cpu::variants
