// SPDX-License-Identifier: MIT
// Kernels that run for so long that the log says where their threads are.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

namespace pycuda::cpu::exec {

/// Runs out once, when nothing has advanced for some time. Any thread.
class Patience {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Patience(std::chrono::seconds limit) : limit_(limit) {}

  /// Something advanced.
  void renew() {
    if (since_.load(std::memory_order_relaxed) != 0) since_.store(0, std::memory_order_relaxed);
  }
  /// Nothing has advanced since the last call: the time counts from the first of these.
  bool runs_out(Clock::time_point now);
  std::chrono::seconds limit() const { return limit_; }

 private:
  const std::chrono::seconds limit_;
  std::atomic<Clock::rep> since_{0};  ///< 0: the last call is not there yet
  std::atomic<bool> is_over_{false};
};

/// Logs that all blocks of a launch have only waited, the threads of one as in `waiting`.
void tell_of_waiting(const std::string& kernel, std::chrono::seconds time,
                     const std::string& waiting);
/// Logs that a block takes long. Only the first call in a process does.
void tell_of_long_block(const std::string& kernel, std::chrono::seconds time,
                        const std::string& waiting);

}  // namespace pycuda::cpu::exec
