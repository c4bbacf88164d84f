// SPDX-License-Identifier: MIT
// One record of an event: reached or not, when, and who waits for it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cpu/exec/shared_records.h"
#include "cpu/exec/stream.h"
#include "cpu/exec/work_order.h"
#include "cpu/exec/worker_pool.h"

namespace pycuda::cpu::exec {

class Marker {
 public:
  Marker() = default;
  /// A record of an event that processes share: its number there.
  explicit Marker(std::uint64_t number) : number_(number) {}

  /// Only the first call of `reach` or `fail` counts.
  void reach();
  /// Reached, but what should have come before was not done.
  void fail(std::string why);
  bool reached() const { return reached_.load(std::memory_order_acquire); }
  /// False when the marker is reached already; `task` is then not kept.
  bool when_reached(Task task);
  void wait() const;
  /// Only after it was reached.
  std::chrono::steady_clock::time_point time() const { return time_; }
  /// Why it failed; empty if it did not. Only after it was reached.
  const std::string& failure() const { return failure_; }
  /// What the work before it comes after, where that is kept: set before it is reached.
  void set_order(std::shared_ptr<const WorkClock> order) { order_ = std::move(order); }
  /// Null: not kept. Another process may know of all that has begun here. Only after it was
  /// reached.
  std::shared_ptr<const WorkClock> order() const {
    return order_ == nullptr && number_ != 0 ? all_begun() : order_;
  }
  /// 0: the event is of this process alone.
  std::uint64_t number() const { return number_; }

 private:
  void reach_with(std::string failure);

  const std::uint64_t number_ = 0;
  mutable std::mutex mutex_;  ///< protects `waiting_`, and the change of `reached_`
  mutable std::condition_variable changed_;
  std::atomic<bool> reached_{false};
  std::chrono::steady_clock::time_point time_{};
  std::string failure_;
  std::shared_ptr<const WorkClock> order_;
  std::vector<Task> waiting_;
};

struct Event::State {
  State(bool with_timing, std::shared_ptr<SharedRecords> records)
      : timing(with_timing), shared(std::move(records)) {}
  const bool timing;
  const std::shared_ptr<SharedRecords> shared;  ///< null: no other process knows the event
  mutable std::mutex mutex;                     ///< protects `latest`
  mutable std::shared_ptr<Marker> latest;

  /// A new record, to be published before or after it is reached, by `reach` here.
  std::shared_ptr<Marker> begin() const;
  void publish(const std::shared_ptr<Marker>& marker);
  /// Tells other processes too; `failed`: what comes before in its stream was not done.
  void reach(Marker& marker, bool failed) const;
  /// The latest record of any process; null: there is none.
  std::shared_ptr<Marker> current() const;
};

}  // namespace pycuda::cpu::exec
