// SPDX-License-Identifier: MIT
// Which checks are wanted: PYCUDA_CPU_CHECK, and what the program asks for while it runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cpu/kernel_abi/checks.h"

namespace pycuda::cpu::exec {

/// "memory", "init", "race", "sync" or "leak".
const char* check_name(Check check);
/// Names with commas between them; "all", "1" (memory), "0" (none). Nothing when a name is unknown.
std::optional<Checks> parse_checks(std::string_view text);
/// The allowed values, for messages.
inline constexpr std::string_view allowed_checks =
    "names of checks with commas between them (memory, init, race, sync), all, 1 (memory) or 0";

/// What PYCUDA_CPU_CHECK and PYCUDA_CPU_COUNTERS ask for (read once). Modules are compiled with
/// these checks.
Checks checks_of_environment();
/// What launches are checked for from now on.
Checks wanted_checks();
/// Changes nothing about counting.
void want_checks(Checks checks);
/// Whether launches count what their warps do from now on.
void want_counters(bool is_wanted);
/// Whether PYCUDA_CPU_COUNTERS asks for a table (read once).
bool counters_of_environment();

/// Work that has been launched and has not ended. While its code checks memory, or what was
/// initialised, `has_reason_to_check` is true.
class CheckedWork {
 public:
  CheckedWork() = default;
  explicit CheckedWork(Checks checks);
  CheckedWork(CheckedWork&& other) noexcept : counts_(std::exchange(other.counts_, false)) {}
  CheckedWork& operator=(CheckedWork other) noexcept {
    std::swap(counts_, other.counts_);
    return *this;
  }
  ~CheckedWork() {
    if (counts_) [[unlikely]]
      end();
  }

 private:
  static void begin();
  static void end() noexcept;
  bool counts_ = false;
};

/// Whether checks of memory or of what was initialised are wanted, or work with them has not ended.
bool has_reason_to_check();

/// True when PYCUDA_CPU_CHECK asks for the checks of memory (read once): memory is then handed out,
/// filled and freed in a way that helps them.
bool checked_mode();
/// Whether PYCUDA_CPU_CHECK or the program (cuCpuSetChecks) asks for this check now.
bool is_wanted(Check check);

}  // namespace pycuda::cpu::exec
