// SPDX-License-Identifier: MIT
// The GIL on threads that are the driver's own.
#pragma once

#include <nanobind/nanobind.h>

namespace pycuda::bindings {

/// Holds the GIL, on any thread, unless the interpreter ends: then it is not held, and a thread
/// that waits for it would be ended by unwinding, through the driver's own functions.
class [[nodiscard]] GilOnDriverThread {
 public:
  GilOnDriverThread() noexcept;
  GilOnDriverThread(const GilOnDriverThread&) = delete;
  GilOnDriverThread& operator=(const GilOnDriverThread&) = delete;
  ~GilOnDriverThread();

  explicit operator bool() const noexcept { return held_; }

  /// Lets the interpreter end no sooner than the threads are back that hold the GIL so or wait for
  /// it, but for those that take long. Once, with the module.
  static void close_at_exit();

 private:
  bool held_ = false;
  PyGILState_STATE state_ = PyGILState_UNLOCKED;
};

}  // namespace pycuda::bindings
