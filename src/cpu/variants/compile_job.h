// SPDX-License-Identifier: MIT
// Compilation on another thread with a deadline in processor time, so that the load of the
// machine does not decide which code runs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <ctime>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace pycuda::cpu::variants {

/// Runs what it is given on another thread. False where it never will.
using Spawn = std::function<bool(std::function<void()>)>;

class CompileJob {
 public:
  /// Null where `spawn` says no. `work` may outlive who waits for it, and the module it is for.
  static std::shared_ptr<CompileJob> begin(const Spawn& spawn, std::function<void()> work);

  // All with checkpoints; they throw what the work has thrown.

  /// Until the work is done, or has taken more than `most` of a processor's time and `can_be_left`,
  /// or `takes_long` for certain, which are asked often: then false.
  bool wait(std::chrono::nanoseconds most, const std::function<bool()>& can_be_left,
            const std::function<bool()>& takes_long = {});
  /// Until it is done.
  void wait();
  bool is_done();

 private:
  void run(const std::function<void()>& work);
  /// Of the thread that runs it, since it began.
  std::chrono::nanoseconds time() const;

  std::mutex mutex_;  ///< protects what follows
  std::condition_variable changed_;
  std::optional<clockid_t> clock_;  ///< once it has begun
  std::chrono::nanoseconds began_{0};
  bool done_ = false;
  std::exception_ptr thrown_;
};

}  // namespace pycuda::cpu::variants
