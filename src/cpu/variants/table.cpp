// SPDX-License-Identifier: MIT
#include "cpu/variants/table.h"

#include <utility>

#include "base/log.h"
#include "cpu/variants/policy.h"

namespace pycuda::cpu::variants {
namespace {

const char* description(Variant variant) {
  if (variant == Variant::vectors()) return "vector code";
  if (variant == Variant::usual()) return "optimised code";
  if (variant == Variant::streaming()) return "code whose stores go past the caches";
  return variant.is_form() ? "its form for other blocks" : "other code";
}

}  // namespace

/// The first code, or what came in its place, if it has this form.
const Kernel* Table::with_usual(Form form) const {
  for (const Variant variant : {Variant::first(), Variant::vectors(), Variant::usual()}) {
    const Kernel* const code = ready(variant);
    if (code == nullptr || code->facts.is_makeshift || !code->facts.forms.has(form)) continue;
    // Baseline code runs any launch, but it is not what vector forms are asked for.
    if (!code->facts.is_baseline || form == Form::Threads) return code;
  }
  return nullptr;
}

const Kernel* Table::with(Form form) const {
  if (const Kernel* const usual = with_usual(form)) return usual;
  const Kernel* found = ready(Variant::of(form));
  // Gangs that may have a rest need none.
  if (found == nullptr && form == Form::Gangs) found = ready(Variant::of(Form::Tails));
  const Kernel* const first = ready(Variant::first());
  const bool is_last_resort = form == Form::Threads && first->facts.is_makeshift;
  return found == nullptr && is_last_resort ? first : found;
}

State Table::vector_state() const {
  const Kernel* const usual = ready(Variant::usual());
  if (usual != nullptr && !usual->facts.is_baseline) return State::Ready;
  const bool is_later = usual == nullptr && ready(Variant::first())->facts.is_makeshift;
  return state(is_later ? Variant::usual() : Variant::vectors());
}

/// Begins the variant once the kernel has run for as long as it is worth. False: never.
bool Table::schedule(Variant variant, bool is_coming) {
  const auto time = run_time_before(variant, compile_time_, background_.patience, is_coming);
  if (time) begin_after(variant, *time);
  return time.has_value();
}

void Table::open(const Kernel& first, std::chrono::nanoseconds compile_time, bool is_coming) {
  compile_time_ = compile_time;
  entry(Variant::first()).code.store(&first, std::memory_order_release);
  entry(Variant::first()).state.store(State::Ready, std::memory_order_release);
  if (!background_.usual) return;
  if (first.streaming != Streaming::Never && may_come(Variant::streaming()))
    schedule(Variant::streaming(), false);
  if (!first.facts.is_baseline || !may_come(Variant::vectors())) return;
  const Variant better = first.facts.is_makeshift ? Variant::usual() : Variant::vectors();
  const bool comes = schedule(better, is_coming);
  base::log(base::LogLevel::Info,
            name() + " runs thread by thread for now: its " + description(better) +
                " takes long to compile " +
                (!comes      ? "and is not made, as PYCUDA_CPU_PATIENCE says"
                 : is_coming ? "and is being compiled in the background"
                             : "and is compiled in the background once the kernel has run "
                               "for as long as that is expected to take"));
}

Table::Making& Table::making(Variant variant) {
  const std::lock_guard lock(mutex_);
  return makings_[variant];
}

/// With the making's mutex held.
void Table::settle(Variant variant, Making& making, const Made& made) {
  if (made) {
    if (variant == Variant::usual() && (*made)->facts.is_baseline && background_.usual)
      schedule(Variant::vectors(), false);
    entry(variant).code.store(*made, std::memory_order_release);
  } else {
    making.failure = made.error();
  }
  entry(variant).state.store(made ? State::Ready : State::Failed, std::memory_order_release);
}

Made Table::make(Variant variant) {
  if (variant.is_form()) {
    const Kernel* const known = with(variant.form());
    if (known != nullptr && !known->facts.is_makeshift) return known;
  }
  Making& making = this->making(variant);
  const std::lock_guard lock(making.mutex);
  if (const Kernel* const known = ready(variant)) return known;
  if (making.failure) return *making.failure;
  entry(variant).state.store(State::Making, std::memory_order_relaxed);
  Made made = source_.make(kernel_, variant);
  settle(variant, making, made);
  const bool is_replaced = variant.is_form() || variant.is_checked();
  if (made && (*made)->facts.is_makeshift && is_replaced) replace_in_background(variant);
  return made;
}

/// Of a makeshift that was made for the variant: launches run it until the variant is there.
void Table::replace_in_background(Variant variant) {
  if (!background_.soon) return;
  CompileJob::begin(background_.soon, [compile = source_.compilation(kernel_, variant),
                                       owner = background_.owner, this, variant] {
    try {
      compile();
      const auto held = owner.lock();
      if (held == nullptr) return;
      if (const Made made = source_.make(kernel_, variant)) {
        entry(variant).code.store(*made, std::memory_order_release);
      } else {
        keep_makeshift(made.error().message);
      }
    } catch (...) {
      if (const auto held = owner.lock()) keep_makeshift(out_of_memory().message);
      throw;
    }
  });
}

std::shared_ptr<CompileJob> Table::begin(Variant variant, const Spawn& spawn) {
  Making& making = this->making(variant);
  const std::lock_guard lock(mutex_);
  if (making.job != nullptr || !spawn) return making.job;
  State state = State::Missing;
  entry(variant).state.compare_exchange_strong(state, State::Making);
  if (state == State::Ready || state == State::Failed) return nullptr;
  // The module may go meanwhile. The disk cache keeps the code in any case.
  making.job = CompileJob::begin(spawn, [compile = source_.compilation(kernel_, variant),
                                         owner = background_.owner, this, variant] {
    const auto began = std::chrono::steady_clock::now();
    try {
      compile();
      if (const auto held = owner.lock()) make_in_background(variant, began);
    } catch (...) {
      if (const auto held = owner.lock()) fail_in_background(variant);
      throw;
    }
  });
  if (making.job != nullptr)
    base::log(base::LogLevel::Info,
              name() + ": " + description(variant) + " is being compiled in the background");
  return making.job;
}

void Table::make_in_background(Variant variant, std::chrono::steady_clock::time_point began) {
  const Made made = make(variant);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - began;
  base::log(base::LogLevel::Info, made ? name() + " has " + description(variant) +
                                             " from now on, compiled in " +
                                             std::to_string(time.count()) + " s"
                                       : made.error().message);
}

void Table::fail_in_background(Variant variant) {
  Making& making = this->making(variant);
  const std::lock_guard lock(making.mutex);
  settle(variant, making, out_of_memory());
}

KernelFailure Table::out_of_memory() const {
  return {KernelFailure::Stage::Compile,
          name() + " could not be compiled: there is not enough memory for it"};
}

void Table::keep_makeshift(const std::string& failure) const {
  base::log(base::LogLevel::Info, failure + "; " + name() + " stays in the form that it runs in");
}

void Table::add_run_time(Variant variant, std::chrono::nanoseconds time) {
  if (variant.index() >= run_time_left_.size()) return;
  const std::int64_t spent = time.count() + 1;
  const std::int64_t left = run_time_left(variant).fetch_sub(spent, std::memory_order_relaxed);
  if (left > 0 && left <= spent)
    begin(variant, variant == Variant::streaming() ? background_.later : background_.usual);
}

void Table::begin_after(Variant variant, std::chrono::nanoseconds run_time) {
  run_time_left(variant).store(run_time.count(), std::memory_order_relaxed);
}

}  // namespace pycuda::cpu::variants
