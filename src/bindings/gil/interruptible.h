// SPDX-License-Identifier: MIT
// Lets Ctrl-C end a call of the main thread that waits for a kernel, where the driver can stop one.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "driver/error.h"

namespace pycuda::bindings {

/// Where alone Python runs the handlers of signals.
bool on_main_thread() noexcept;

/// A call that may wait, as long as this lives. Python only notes a signal and runs its handler
/// later, in the main thread, which hangs in the driver: so the CPU driver, notified that the main
/// thread waits, stops the kernel after an interrupt, and the call fails. While the call waits, the
/// driver also lets handlers run now and then; what one raises is kept, stops the kernel too, and
/// is to be raised after the call.
class [[nodiscard]] Interruptible {
 public:
  Interruptible() noexcept {
    if (!off_) begin();
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  ~Interruptible() {
    if (waits_) end();
  }
  /// Whether nothing ends the waits of this thread, the main one: a GPU's driver.
  static bool cannot_be_ended() noexcept { return off_ && on_main_thread(); }
  /// Before the call, with the GIL: raises what Python's handlers raise for signals that came
  /// before the wait. The driver counts those that come in it.
  void raise_if_interrupted_before() const {
    if (waits_) run_pending_handlers();
  }
  /// After a failure of the call, with the GIL: raises what Python's handlers raise for signals
  /// since. False where the driver does not give up calls.
  bool raise_if_interrupted() const {
    if (waits_) run_handlers();
    return waits_;
  }

  /// While one lives, calls that do nothing but wait may end early with NOT_READY, for the handlers
  /// of other signals.
  class [[nodiscard]] Slices {
   public:
    explicit Slices(const Interruptible& wait) noexcept;
    Slices(const Slices&) = delete;
    Slices& operator=(const Slices&) = delete;
    ~Slices();

   private:
    bool on_;
  };
  /// After such a failure, with the GIL: runs the handlers. What one raises is kept, and the next
  /// wait is an interrupted one, which the driver ends. False after any other failure.
  bool goes_on_after(const driver::DriverError& error);
  /// After any failure, with the GIL: raises what is kept, and what handlers raise. Whether the
  /// call has done nothing, and is to be made again.
  bool is_to_be_repeated_after(const driver::DriverError& error) const;
  /// At last, with the GIL.
  void raise_kept() const {
    if (kept_) [[unlikely]]
      throw_kept();
  }
  /// The same where nothing can be raised: Python raises it once it runs on.
  void raise_kept_later() noexcept;

  /// While one lives, waits run no handlers: the caller holds what they might need.
  class [[nodiscard]] NoHandlers {
   public:
    NoHandlers() noexcept { ++without_handlers_; }
    NoHandlers(const NoHandlers&) = delete;
    NoHandlers& operator=(const NoHandlers&) = delete;
    ~NoHandlers() { --without_handlers_; }
  };

 private:
  void begin() noexcept;
  static void end() noexcept;
  [[noreturn]] void throw_kept() const;
  static void run_handlers();
  static void run_pending_handlers();
  static int run_handlers_in_wait() noexcept;

  /// Set permanently when the driver cannot stop kernels: a GPU's.
  static bool off_;
  /// The main thread's call that may wait now; null outside.
  static Interruptible* current_;
  static thread_local int without_handlers_;
  bool waits_ = false;
  std::optional<nanobind::python_error> kept_;
};

}  // namespace pycuda::bindings
