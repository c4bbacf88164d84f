// SPDX-License-Identifier: MIT
// A probe process: a copy of this process in which code runs without side effects on this one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>

namespace pycuda::cpu::exec {

namespace internal {
inline std::atomic<bool> is_probe_process{false};
}

/// Whether this process is a probe: it writes no output and installs no handlers.
inline bool in_probe_process() noexcept {
  return internal::is_probe_process.load(std::memory_order_relaxed);
}

/// Runs work(context, result) in a copy of the process (copied as it is written to) that has the
/// calling thread alone, and gives back the `bytes` that it wrote to `result`, zeros at first. All
/// else that it writes is gone; memory that this process shares with others can only be read there.
/// False when it did not end within `limit` of processor time, or eight times that (it is stopped
/// then), crashed, or there can be no copy.
///
/// `work` must not need what other threads may hold: no locks, no allocation. No signal reports
/// the copy's end, and no other wait sees it but one for all clones.
bool run_in_probe_process(void (*work)(void* context, void* result), void* context, void* result,
                          std::size_t bytes, std::chrono::milliseconds limit);

}  // namespace pycuda::cpu::exec
