// SPDX-License-Identifier: MIT
// The program's handlers of signals run while its first thread waits in a call.
#pragma once

namespace pycuda::cpu::exec {

/// What the program does in waits of its first thread that cannot be left: it runs the handlers of
/// signals, which may call the driver. True if the wait is to end as by an interrupt. For all
/// threads, once.
void handle_signals_by(bool (*handle)());

/// While one lives, the calling thread does not call the program in a wait: it holds a lock that a
/// handler might ask for.
class [[nodiscard]] NoSignalHandlers {
 public:
  NoSignalHandlers();
  NoSignalHandlers(const NoSignalHandlers&) = delete;
  NoSignalHandlers& operator=(const NoSignalHandlers&) = delete;
  ~NoSignalHandlers();
};

/// After a slice of a wait (`wait_slice`), without a lock: leaves the wait by a `WaitSliceOver`, or
/// lets the program handle its signals.
void end_wait_slice();

/// After a wait, without a lock: if an interrupt came in it, the program handles that within the
/// call, whose end can then say which kernel was stopped. Cheap beside any wait.
void end_interrupted_wait();

}  // namespace pycuda::cpu::exec
