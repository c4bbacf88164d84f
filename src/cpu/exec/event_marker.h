// SPDX-License-Identifier: MIT
// One record of an event: reached or not, when, and who waits for it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "cpu/exec/stream.h"
#include "cpu/exec/worker_pool.h"

namespace pycuda::cpu::exec {

class Marker {
 public:
  void reach();
  bool reached() const { return reached_.load(std::memory_order_acquire); }
  /// False when the marker is reached already; `task` is then not kept.
  bool when_reached(Task task);
  void wait() const;
  /// Only after it was reached.
  std::chrono::steady_clock::time_point time() const { return time_; }

 private:
  mutable std::mutex mutex_;  ///< protects `waiting_`, and the change of `reached_`
  mutable std::condition_variable changed_;
  std::atomic<bool> reached_{false};
  std::chrono::steady_clock::time_point time_{};
  std::vector<Task> waiting_;
};

struct Event::State {
  explicit State(bool with_timing) : timing(with_timing) {}
  const bool timing;
  mutable std::mutex mutex;  ///< protects `latest`
  std::shared_ptr<Marker> latest;

  std::shared_ptr<Marker> current() const {
    const std::unique_lock lock(mutex);
    return latest;
  }
};

}  // namespace pycuda::cpu::exec
