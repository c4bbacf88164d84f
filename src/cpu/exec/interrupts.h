// SPDX-License-Identifier: MIT
// Stops kernels that the program goes on waiting for after its user has interrupted it (Ctrl-C).
#pragma once

#include <atomic>

namespace pycuda::cpu::exec {

namespace internal {
inline std::atomic<bool> stop_everything{false};
}

/// True while all launches that run are to end with FaultKind::Timeout. Cheap; any thread, and
/// signal handlers.
inline bool interrupting() noexcept {
  return internal::stop_everything.load(std::memory_order_relaxed);
}

/// From now on a thread looks at `waits` now and then: odd while the program waits in a call, it
/// changes whenever such a wait begins or ends, and lives as long as the process. A SIGINT that a
/// program with a handler gets in a wait that has become long gives that wait one second to end by
/// itself, a second SIGINT none; then what runs is stopped. The handler is called as ever. Only the
/// first call counts.
void watch_waits(const unsigned long long* waits);

}  // namespace pycuda::cpu::exec
