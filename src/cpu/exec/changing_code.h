// SPDX-License-Identifier: MIT
// Lets a launch go on in better code that comes while it runs.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "cpu/exec/launch_context.h"

namespace pycuda::cpu::exec {

/// The codes of one launch, one after the other. Code in which a launch began because nothing
/// better was ready may take hundreds of times as long, and a launch may last for minutes: so each
/// block begins in the best code that is ready by then. Any thread may call anything.
class ChangingCode {
 public:
  /// `first` outlives this.
  explicit ChangingCode(LaunchContext& first);

  /// What the next blocks run in.
  LaunchContext& for_next_blocks() {
    LaunchContext& latest = *latest_.load(std::memory_order_acquire);
    return may_change_ && latest.choice.work ? look_for_better(latest) : latest;
  }
  bool has_changed() const { return latest_.load(std::memory_order_acquire) != &first_; }
  /// After blocks of any of the codes: one that was stopped stops the others.
  void share_stop() {
    if (has_changed()) stop_all_or_none();
  }
  /// Adds the time since the last call to the run time for which better code is made.
  void count_time();

 private:
  LaunchContext& look_for_better(LaunchContext& latest);
  void stop_all_or_none();

  LaunchContext& first_;
  const bool may_change_;
  std::atomic<LaunchContext*> latest_;
  std::mutex mutex_;                                   ///< protects the list
  std::vector<std::unique_ptr<LaunchContext>> later_;  ///< as blocks of each may still run
  std::atomic<std::chrono::steady_clock::time_point> counted_;
};

}  // namespace pycuda::cpu::exec
