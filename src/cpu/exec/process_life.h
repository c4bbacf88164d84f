// SPDX-License-Identifier: MIT
// Which process, and whether it still lives: numbers of processes are used again.
#pragma once

#include <cstdint>

namespace pycuda::cpu::exec {

struct ProcessId {
  std::int32_t number = 0;
  std::uint64_t started = 0;  ///< in the system's ticks since it was; 0 where that cannot be read

  friend bool operator==(const ProcessId&, const ProcessId&) = default;
};

ProcessId this_process();
/// Whether it has ended, as far as can be known: what cannot be looked at counts as alive. One that
/// no call has waited for yet has ended.
bool has_ended(const ProcessId& process);

}  // namespace pycuda::cpu::exec
