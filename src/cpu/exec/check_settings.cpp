// SPDX-License-Identifier: MIT
#include "cpu/exec/check_settings.h"

#include <algorithm>
#include <atomic>

#include "base/env.h"
#include "cpu/exec/counter_file.h"

namespace pycuda::cpu::exec {
namespace {

constexpr const char* variable = "PYCUDA_CPU_CHECK";

std::optional<Checks> parse_name(std::string_view name) {
  if (name == "all") return Checks::all();
  if (name == "0") return Checks();
  if (name == "1") return Check::Memory;
  for (const Check check : {Check::Memory, Check::Init, Check::Race, Check::Sync}) {
    if (name == check_name(check)) return check;
  }
  return std::nullopt;
}

/// Whether these check what memory kernels may use.
bool guard_memory(Checks checks) { return checks.has(Check::Memory) || checks.has(Check::Init); }

struct Wanted {
  std::atomic<unsigned> bits;
  std::atomic<unsigned> reasons;  ///< one for `bits`, and one for each piece of work
};

Wanted& wanted() {
  static Wanted all{checks_of_environment().bits(), guard_memory(checks_of_environment()) ? 1u : 0};
  return all;
}

void want(Checks checks) {
  const auto guards = [](Checks own) {
    return guard_memory(checks_of_environment() | own) ? 1u : 0u;
  };
  const unsigned before = wanted().bits.exchange(checks.bits(), std::memory_order_relaxed);
  // Of several threads each adds what its own change was.
  wanted().reasons.fetch_add(guards(checks) - guards(Checks::from_bits(before)));
}

}  // namespace

const char* check_name(Check check) {
  switch (check) {
    case Check::Memory:
      return "memory";
    case Check::Init:
      return "init";
    case Check::Race:
      return "race";
    case Check::Sync:
      return "sync";
    case Check::Counters:
      break;
    case Check::Leak:
      return "leak";
  }
  return "";
}

std::optional<Checks> parse_checks(std::string_view text) {
  Checks checks;
  for (;;) {
    const std::size_t comma = text.find(',');
    std::string_view name = text.substr(0, comma);
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    name = name.substr(0, name.find_last_not_of(' ') + 1);
    const auto parsed = parse_name(name);
    if (!parsed) return std::nullopt;
    checks = checks | *parsed;
    if (comma == std::string_view::npos) return checks;
    text.remove_prefix(comma + 1);
  }
}

Checks checks_of_environment() {
  static const Checks checks = [] {
    const Checks counters = writes_counter_file() ? Checks(Check::Counters) : Checks();
    const auto value = base::environment(variable);
    if (!value || value->empty()) return counters;
    if (const auto parsed = parse_checks(*value)) return *parsed | counters;
    base::refuse_environment(variable, *value, allowed_checks, "0");
    return counters;
  }();
  return checks;
}

Checks wanted_checks() { return Checks::from_bits(wanted().bits.load(std::memory_order_relaxed)); }

void want_checks(Checks checks) {
  const bool counts = wanted_checks().has(Check::Counters);
  want(counts ? checks | Check::Counters : checks.without(Check::Counters));
}

void want_counters(bool is_wanted) {
  const Checks checks = wanted_checks().without(Check::Counters);
  want(is_wanted ? checks | Check::Counters : checks);
}

CheckedWork::CheckedWork(Checks checks) : counts_(guard_memory(checks)) {
  if (counts_) begin();
}

void CheckedWork::begin() { wanted().reasons.fetch_add(1); }

void CheckedWork::end() noexcept { wanted().reasons.fetch_sub(1); }

bool has_reason_to_check() { return wanted().reasons.load() != 0; }

bool counters_of_environment() { return checks_of_environment().has(Check::Counters); }

bool checked_mode() { return checks_of_environment().has(Check::Memory); }

bool is_wanted(Check check) { return (checks_of_environment() | wanted_checks()).has(check); }

}  // namespace pycuda::cpu::exec
