// SPDX-License-Identifier: MIT
// The threads of a block at the barrier of its cluster.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "cpu/exec/block_run.h"

namespace pycuda::cpu::exec {

bool BlockRun::arrive_at_cluster_barrier(const ThreadFrame& thread) {
  if (is_checked_) checks_->meet_cluster(thread, cluster_, true);
  arrivals_.resize(launch_->threads);
  std::uint32_t& phase = arrivals_[thread.linear].phase;
  if (phase != 0) return false;
  phase = cluster_->arrive();
  return true;
}

bool BlockRun::go_to_cluster_barrier(const ThreadFrame& thread) {
  arrivals_.resize(launch_->threads);
  arrivals_[thread.linear].goes_there = true;
  return arrivals_[thread.linear].phase != 0;
}

bool BlockRun::waits_for_cluster(const ThreadFrame& thread) const {
  return !arrivals_.empty() && arrivals_[thread.linear].goes_there;
}

void BlockRun::leave_cluster(const ThreadFrame& thread) {
  cluster_->exited(arrivals_.empty() ? 0 : arrivals_[thread.linear].phase);
}

void BlockRun::at_cluster_barrier(unsigned warp, unsigned lane, const ThreadFrame& thread) {
  warps_[warp].at_cluster_barrier |= 1u << lane;
  if (cluster_->is_over(arrivals_[thread.linear].phase)) leave_cluster_barrier();
}

void BlockRun::leave_cluster_barrier() {
  for (unsigned index = 0; index < warp_count_; ++index) {
    Warp& warp = warps_[index];
    for (std::uint32_t left = warp.at_cluster_barrier; left != 0; left &= left - 1) {
      const std::uint32_t bit = left & (~left + 1);
      const ThreadFrame& thread =
          threads_[index * 32 + static_cast<unsigned>(std::countr_zero(left))];
      ClusterArrival& arrival = arrivals_[thread.linear];
      if (!cluster_->is_over(arrival.phase)) continue;
      if (is_checked_ && arrival.phase != 0) checks_->meet_cluster(thread, cluster_, false);
      arrival = {};
      warp.ready |= bit;
      warp.at_cluster_barrier &= ~bit;
    }
  }
}

bool BlockRun::waits_for_cluster() const {
  return std::any_of(warps_.begin(), warps_.begin() + warp_count_,
                     [](const Warp& warp) { return warp.at_cluster_barrier != 0; });
}

}  // namespace pycuda::cpu::exec
