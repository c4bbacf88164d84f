// SPDX-License-Identifier: MIT
// Leaves the interpreter lock alone while the driver may block, also where there may be no lock to
// leave.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "bindings/interruptible.h"

namespace pycuda::bindings {

/// Whether this thread holds the interpreter lock and may leave it: not at the interpreter's end.
bool may_unlock() noexcept;

/// The interpreter lock is free while this lives. A thread that comes back after the interpreter's
/// end stays where it is, as from Python 3.14 on: versions before would end it by unwinding its
/// stack, and no destructor can be unwound.
class [[nodiscard]] LockLeft {
 public:
  LockLeft() noexcept;
  LockLeft(const LockLeft&) = delete;
  LockLeft& operator=(const LockLeft&) = delete;
  ~LockLeft();

  /// Lets the process end no sooner than the threads are back that left the lock (compilers have
  /// globals that end with the process), but for those that take long. Once, with the module.
  static void wait_at_exit();

 private:
  PyThreadState* thread_ = nullptr;
};

/// Counts the threads that have left the interpreter lock for the driver. Made and destroyed with
/// the lock held, which protects the count.
class [[nodiscard]] OutsideOfLock {
 public:
  OutsideOfLock() { ++threads_; }
  OutsideOfLock(const OutsideOfLock&) = delete;
  OutsideOfLock& operator=(const OutsideOfLock&) = delete;
  ~OutsideOfLock() { --threads_; }
  static int threads() { return threads_; }

 private:
  inline static int threads_ = 0;
};

/// Runs `action` without the interpreter lock. For bound functions: the lock is held when it
/// begins. Raises what a signal's handler raises, such as KeyboardInterrupt, where the driver gave
/// up a call for an interrupt; if the handler raises nothing, a call that has done nothing yet
/// (CUDA_ERROR_TIMEOUT) is made again.
template <class Action>
decltype(auto) unlocked(Action&& action) {
  const OutsideOfLock outside;
  const Interruptible wait;
  for (;;) {
    try {
      const LockLeft left;
      return action();
    } catch (const driver::DriverError& error) {
      if (!wait.raise_if_interrupted() || error.code() != CUDA_ERROR_TIMEOUT) throw;
    }
  }
}

/// The same for destructors, which also run at the interpreter's end.
template <class Action>
void unlocked_if_possible(Action&& action) noexcept {
  if (may_unlock()) {
    const OutsideOfLock outside;
    const Interruptible wait;
    const LockLeft left;
    action();
  } else {
    action();
  }
}

}  // namespace pycuda::bindings
