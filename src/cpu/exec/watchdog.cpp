// SPDX-License-Identifier: MIT
// One thread that sleeps until the next launch's time is over.
#include "cpu/exec/watchdog.h"

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/env.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/service_thread.h"

namespace pycuda::cpu::exec {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto repeat_after = std::chrono::milliseconds(20);

std::chrono::milliseconds limit_of_environment() {
  const auto seconds = base::environment_decimal("PYCUDA_CPU_TIMEOUT", 0, 1e9, "0 (no limit)");
  if (!seconds || *seconds == 0) return {};
  return std::chrono::milliseconds(static_cast<long long>(*seconds * 1000) + 1);
}

std::atomic<long long>& limit_milliseconds() {
  static std::atomic<long long> limit{limit_of_environment().count()};
  return limit;
}

class Watchdog {
 public:
  static Watchdog& instance() {
    static Watchdog* const dog = new Watchdog;
    return *dog;
  }

  void add(LaunchContext& launch, Clock::time_point deadline) {
    const std::unique_lock lock(mutex_);
    launches_.emplace(&launch, deadline);
    changed_.notify_one();
  }

  void remove(LaunchContext& launch) {
    const std::unique_lock lock(mutex_);
    launches_.erase(&launch);
  }

 private:
  Watchdog() {
    start_service_thread([this] { watch_over(); });
  }

  void watch_over() {
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto now = Clock::now();
      std::optional<Clock::time_point> next;
      for (auto& [launch, deadline] : launches_) {
        if (deadline <= now) {
          launch->timed_out.store(true, std::memory_order_relaxed);
          launch->stopped.store(true, std::memory_order_relaxed);
          interrupt_runners(*launch);
          // A runner may have been between two blocks, or inside a runtime call.
          deadline = now + repeat_after;
        }
        if (!next || deadline < *next) next = deadline;
      }
      if (next) {
        changed_.wait_until(lock, *next);
      } else {
        changed_.wait(lock);
      }
    }
  }

  std::mutex mutex_;  ///< protects `launches_`; a launch in it is alive
  std::condition_variable changed_;
  std::map<LaunchContext*, Clock::time_point> launches_;
};

}  // namespace

bool time_limit_set() { return limit_milliseconds().load(std::memory_order_relaxed) != 0; }

std::optional<std::chrono::milliseconds> time_limit() {
  const std::chrono::milliseconds limit(limit_milliseconds().load(std::memory_order_relaxed));
  return limit.count() != 0 ? std::optional(limit) : std::nullopt;
}

void set_time_limit(std::chrono::milliseconds limit) {
  limit_milliseconds().store(limit.count(), std::memory_order_relaxed);
}

void watch(LaunchContext& launch, Clock::time_point since) {
  const auto deadline = since + std::chrono::milliseconds(limit_milliseconds().load());
  launch.limited_since = since;
  // It may be over before the watchdog looks.
  if (deadline <= Clock::now()) {
    launch.timed_out.store(true, std::memory_order_relaxed);
    launch.stopped.store(true, std::memory_order_relaxed);
  }
  launch.watched.store(true, std::memory_order_relaxed);
  Watchdog::instance().add(launch, deadline);
}

void unwatch(LaunchContext& launch) { Watchdog::instance().remove(launch); }

}  // namespace pycuda::cpu::exec
