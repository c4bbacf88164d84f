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

/// While the program waits for something that can be abandoned, such as a compilation: a SIGINT
/// then stops no kernel, because the wait ends without that. Cheap beside any compilation.
class AbandonableWait {
 public:
  /// `watched()` if the calling thread is the program's first and in a wait that `watch_waits`
  /// watches; otherwise this does nothing.
  AbandonableWait();
  AbandonableWait(const AbandonableWait&) = delete;
  AbandonableWait& operator=(const AbandonableWait&) = delete;
  ~AbandonableWait();

  bool watched() const noexcept { return watched_; }
  /// Whether a SIGINT has come since. Never for a program without a handler for it.
  bool interrupted() const noexcept;

 private:
  bool watched_;
  int count_before_ = 0;
};

/// From now on a thread looks at `waits` now and then: odd while the program waits in a call, it
/// changes whenever such a wait begins or ends, and lives as long as the process. A SIGINT that a
/// program with a handler gets in a wait that has become long gives that wait most of a second to
/// end by itself, a second SIGINT none; then what runs is stopped. The handler is called as ever.
/// Only the first call counts.
void watch_waits(const unsigned long long* waits);

}  // namespace pycuda::cpu::exec
