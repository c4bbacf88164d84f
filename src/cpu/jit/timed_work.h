// SPDX-License-Identifier: MIT
// Compiling on another thread, for which one waits as long as it has taken little time of a
// processor: how busy the machine is decides nothing.
#pragma once

#include <chrono>
#include <condition_variable>
#include <ctime>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace pycuda::cpu::jit {

/// Runs what it is given on another thread, soon. False where it never will.
using Aside = std::function<bool(std::function<void()>)>;

class TimedWork {
 public:
  /// Null where `aside` says no. `work` may outlive who waits for it, and the module it is for.
  static std::shared_ptr<TimedWork> begin(const Aside& aside, std::function<void()> work);

  // All with checkpoints; they throw what the work has thrown.

  /// Until the work is done, or has taken `most` of a processor's time while it `can_be_left`: then
  /// false.
  bool wait(std::chrono::nanoseconds most, const std::function<bool()>& can_be_left);
  /// Until the work is done or `given_up`, which is asked often: then false.
  bool wait(const std::function<bool()>& given_up);
  /// Until it is done.
  void wait();

 private:
  void run(const std::function<void()>& work);
  /// `left` is called with the lock held.
  bool wait_until(const std::function<bool()>& left);
  /// Of the thread that runs it, since it began.
  std::chrono::nanoseconds time() const;

  std::mutex mutex_;  ///< protects what follows
  std::condition_variable changed_;
  std::optional<clockid_t> clock_;  ///< once it has begun
  std::chrono::nanoseconds began_{0};
  bool done_ = false;
  std::exception_ptr thrown_;
};

}  // namespace pycuda::cpu::jit
