// SPDX-License-Identifier: MIT
// Stops kernels that the program goes on waiting for after its user has interrupted it (Ctrl-C).
#pragma once

#include <atomic>
#include <chrono>

namespace pycuda::cpu::exec {

namespace internal {
/// The number of the program's wait in which everything is to stop; 0: there is none.
inline std::atomic<unsigned long long> stopped_wait{0};
bool is_in_wait(unsigned long long number) noexcept;
}  // namespace internal

/// True while all launches that run are to end with FaultKind::Timeout: until the program's wait is
/// over, and no longer. Cheap; any thread, and signal handlers.
inline bool interrupting() noexcept {
  const unsigned long long wait = internal::stopped_wait.load(std::memory_order_relaxed);
  return wait != 0 && internal::is_in_wait(wait);
}

/// Where the program's wait is about to block: finds a handler for SIGINT that the program has set
/// since its last wait. Nothing in other threads and outside waits; otherwise a system call.
void expect_interrupts();

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

  bool watched() const noexcept { return wait_ != 0; }
  /// Whether a SIGINT has come in the program's wait, here or before. Never for a program without a
  /// handler for it.
  bool interrupted() const noexcept;

 private:
  /// The number of the program's wait; 0 where nothing is watched.
  unsigned long long wait_;
};

/// To be called at the beginning of each wait of the program's first thread, with `waits` odd; the
/// address is the first call's. From then on a thread looks at `waits` now and then: odd while the
/// program waits in a call, it changes whenever such a wait begins or ends, and lives as long as
/// the process. A SIGINT that a program with a handler gets in a wait gives that wait most of a
/// second to end by itself, a second SIGINT none; then what runs is stopped. The handler is called
/// as ever. What came before this call is for the caller to look for after it. Who waits on after
/// an interrupt, which its handler was content with, makes that a wait of its own.
void watch_waits(const unsigned long long* waits);

/// How the calling thread waits for events: as long as it takes, or at most a slice of time, so
/// that the program can look after its signals; then a `WaitSliceOver` leaves the wait.
void wait_in_slices(bool slices) noexcept;

struct WaitSliceOver {};

/// How long this thread may wait for an event now; zero: as long as it takes, also where an
/// interrupt has come in the program's wait, which ends what runs. Cheap.
std::chrono::milliseconds wait_slice();

/// Counts as a SIGINT in the program's wait, unless one has come in it.
void interrupt_wait();

}  // namespace pycuda::cpu::exec
