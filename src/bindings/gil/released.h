// SPDX-License-Identifier: MIT
// Releases the GIL while the driver may block, also where there may be none to release.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "bindings/gil/interruptible.h"

namespace pycuda::bindings {

/// Whether this thread holds the GIL and may release it: not at the interpreter's end.
bool may_release_gil() noexcept;

/// The GIL is free while this lives. A thread that comes back after the interpreter's end stays
/// where it is, as from Python 3.14 on: versions before would end it by unwinding its stack, and no
/// destructor can be unwound.
class [[nodiscard]] GilReleased {
 public:
  GilReleased() noexcept;
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;
  ~GilReleased();

  /// Lets the process end no sooner than the threads are back that released the GIL (compilers have
  /// globals that end with the process), but for those that take long. Once, with the module.
  static void wait_at_exit();

 private:
  PyThreadState* thread_ = nullptr;
};

/// Counts the threads that have released the GIL for the driver. Made and destroyed with the GIL,
/// which protects the count.
class [[nodiscard]] GilReleaseCount {
 public:
  GilReleaseCount() { ++threads_; }
  GilReleaseCount(const GilReleaseCount&) = delete;
  GilReleaseCount& operator=(const GilReleaseCount&) = delete;
  ~GilReleaseCount() { --threads_; }
  static int threads() { return threads_; }

 private:
  inline static int threads_ = 0;
};

/// without_gil() for a function of `context`: what all calls have in common, once.
void run_without_gil(void (*action)(void* context), void* context);

/// Runs `action` without the GIL, which is held before and after. Raises what a signal's handler
/// raises, such as KeyboardInterrupt, while the call waits or where the driver gave it up for an
/// interrupt; if the handler raises nothing, a call that has done nothing yet (CUDA_ERROR_TIMEOUT)
/// is made again.
template <class Action>
auto without_gil(Action&& action) {
  using Result = decltype(action());
  if constexpr (std::is_void_v<Result>) {
    auto call = [&] { action(); };
    run_without_gil([](void* it) { (*static_cast<decltype(call)*>(it))(); }, &call);
  } else {
    std::optional<std::decay_t<Result>> result;
    auto call = [&] { result.emplace(action()); };
    run_without_gil([](void* it) { (*static_cast<decltype(call)*>(it))(); }, &call);
    return std::move(*result);
  }
}

/// As `without_gil`, for an action that does nothing but wait. It may be made again and again:
/// handlers of any signal run meanwhile. If one raises, what is waited for is stopped as by Ctrl-C.
template <class Action>
void wait_without_gil(Action&& action) {
  const GilReleaseCount counted;
  Interruptible wait;
  wait.raise_if_interrupted_before();
  for (bool done = false; !done;) {
    try {
      const Interruptible::Slices slices(wait);
      const GilReleased released;
      action();
      done = true;
    } catch (const driver::DriverError& error) {
      if (!wait.goes_on_after(error) && !wait.is_to_be_repeated_after(error)) throw;
    }
  }
  wait.raise_kept();
}

/// Returns once `is_done`, which is called without the GIL, or raises what a signal's handler
/// raises. It asks often at first, as the driver's own waits do, and later at least every
/// millisecond.
void poll_without_gil(const std::function<bool()>& is_done);

/// The same where what is waited for can be asked: the wait can be left on a GPU too, which goes on
/// with its work. `is_done` throws nothing, and is true where `action` fails.
template <class Action, class IsDone>
void wait_without_gil(Action&& action, IsDone&& is_done) {
  if (Interruptible::cannot_be_ended()) poll_without_gil(is_done);
  wait_without_gil(action);
}

/// Tells the driver, at the interpreter's end, that no other thread runs Python while this lives: a
/// destructor must not wait for a stream that waits for what only Python could write, nor long for
/// a kernel that the user has interrupted.
class [[nodiscard]] LastThread {
 public:
  LastThread() noexcept;
  LastThread(const LastThread&) = delete;
  LastThread& operator=(const LastThread&) = delete;
  ~LastThread();

 private:
  CUresult (*set_)(int last) = nullptr;
};

/// The same for destructors, which also run at the interpreter's end.
template <class Action>
void without_gil_if_possible(Action&& action) noexcept {
  const LastThread last;
  if (may_release_gil()) {
    const GilReleaseCount counted;
    Interruptible wait;
    {
      const GilReleased released;
      action();
    }
    wait.raise_kept_later();
  } else {
    action();
  }
}

}  // namespace pycuda::bindings
