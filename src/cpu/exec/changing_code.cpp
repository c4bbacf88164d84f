// SPDX-License-Identifier: MIT
#include "cpu/exec/changing_code.h"

#include <algorithm>

#include "cpu/exec/stream.h"

namespace pycuda::cpu::exec {
namespace {

using std::chrono::steady_clock;

/// Whether blocks in different code can work on one launch: not where they share what belongs to
/// its code or to one LaunchContext.
bool may_change(const LaunchContext& launch) {
  return !launch.request.cooperative && launch.cluster_blocks == 1 && launch.races == nullptr &&
         launch.counters == nullptr && !launch.kernel.facts.calls_device_runtime();
}

}  // namespace

ChangingCode::ChangingCode(LaunchContext& first)
    : first_(first),
      may_change_(may_change(first)),
      latest_(&first),
      counted_(first.choice.work ? steady_clock::now() : steady_clock::time_point()) {}

LaunchContext& ChangingCode::look_for_better(LaunchContext& latest) {
  count_time();
  if (first_.stopped.load(std::memory_order_relaxed)) return latest;
  const variants::Choice choice = choose_code(first_.request);
  if (choice.code == nullptr || choice.code == &latest.kernel) return latest;
  const std::lock_guard lock(mutex_);
  LaunchContext& present = *latest_.load(std::memory_order_relaxed);
  if (&present != &latest) return present;
  auto better = std::make_unique<LaunchContext>(first_, choice);
  // Only blocks that take turns are counted by the room that GridRun has for them.
  if (better->suspends && !first_.suspends) return latest;
  latest_.store(better.get(), std::memory_order_release);
  return *later_.emplace_back(std::move(better));
}

void ChangingCode::count_time() {
  const LaunchContext& latest = *latest_.load(std::memory_order_acquire);
  if (!latest.choice.work) return;
  const auto now = steady_clock::now();
  if (const auto before = counted_.exchange(now, std::memory_order_relaxed); before < now)
    latest.add_run_time(now - before);
}

void ChangingCode::stop_all_or_none() {
  const std::lock_guard lock(mutex_);
  std::vector<LaunchContext*> all = {&first_};
  for (const auto& launch : later_) all.push_back(launch.get());
  for (std::atomic<bool> LaunchContext::* const flag :
       {&LaunchContext::interrupted, &LaunchContext::timed_out, &LaunchContext::stopped}) {
    const auto is_set = [flag](const LaunchContext* launch) { return (launch->*flag).load(); };
    if (std::ranges::none_of(all, is_set)) continue;
    for (LaunchContext* const launch : all) (launch->*flag).store(true);
  }
}

}  // namespace pycuda::cpu::exec
