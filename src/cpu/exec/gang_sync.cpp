// SPDX-License-Identifier: MIT
// Nothing is wrong where all of the block's threads come to the same barrier. Elsewhere the threads
// are told apart and the rules of sync_rules decide.
#include "cpu/exec/gang_sync.h"

#include <algorithm>
#include <bit>

#include "cpu/exec/block_checks.h"
#include "cpu/exec/gang_lanes.h"
#include "cpu/exec/named_barrier.h"
#include "cpu/exec/sync_rules.h"

namespace pycuda::cpu::exec {
namespace {

const LaunchContext& launch_of(const ThreadFrame& gang) {
  return *static_cast<const LaunchContext*>(gang.block->launch->launch);
}

/// Calls visit(frame) with each of the gang's lanes that have a bit in `lanes`.
template <class Visit>
void each_lane(const ThreadFrame& gang, std::uint64_t lanes, const AccessOfGang& access,
               Visit&& visit) {
  ThreadFrame frame = gang;
  GangLanes own(frame, access);
  for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
    own.become(static_cast<unsigned>(std::countr_zero(left)));
    visit(frame);
  }
}

void put(std::vector<ThreadFrame>& threads, LiveLanes& live, const ThreadFrame& frame) {
  threads[frame.linear] = frame;
  live[frame.linear / 32] |= 1u << frame.linear % 32;
}

/// Frames of all the block's threads, under their numbers.
std::vector<ThreadFrame> frames_of_block(const LaunchContext& launch) {
  std::vector<ThreadFrame> threads(std::size_t{(launch.threads + 31) / 32} * 32);
  for (std::uint32_t i = 0; i < launch.threads; ++i) {
    threads[i].linear = i;
    threads[i].tid = thread_of_number(launch.frame.block, i);
  }
  return threads;
}

}  // namespace

void GangSync::arrive(const ThreadFrame& gang, std::uint64_t lanes, const AccessOfGang& access,
                      std::uint32_t site, BlockChecks& checks) {
  if (lanes == 0) return;
  const std::uint32_t before = barriers_[gang.linear];
  // Whoever is at the barrier that has not opened has come to as many, this one included.
  if (!arrivals_.empty() && barriers_[arrivals_.front().gang.linear] == before)
    open(launch_of(gang), *gang.block, checks);
  barriers_[gang.linear] = before + 1;
  arrivals_.push_back({gang, lanes, access, site});
}

void GangSync::end(const LaunchContext& launch, const BlockFrame& block, BlockChecks& checks) {
  if (!arrivals_.empty()) open(launch, block, checks);
}

void GangSync::open(const LaunchContext& launch, const BlockFrame& block, BlockChecks& checks) {
  std::uint32_t count = 0;
  bool is_same = true;
  for (const Arrival& arrival : arrivals_) {
    count += static_cast<std::uint32_t>(std::popcount(arrival.lanes));
    is_same &= arrival.site == arrivals_.front().site;
  }
  if (count != launch.threads || !is_same) check(launch, block, checks);
  arrivals_.clear();
}

void GangSync::check(const LaunchContext& launch, const BlockFrame& block,
                     BlockChecks& checks) const {
  std::vector<ThreadFrame> threads = frames_of_block(launch);
  LiveLanes live{};
  NamedBarrier barrier;
  for (const Arrival& arrival : arrivals_) {
    each_lane(arrival.gang, arrival.lanes, arrival.access, [&](ThreadFrame& frame) {
      frame.site = arrival.site;
      put(threads, live, frame);
      barrier.arrive(frame.linear / 32, frame.linear % 32, 0, true);
      checks.set_aligned(frame.linear, arrival.access.bytes != 0);
    });
  }
  check_opening({launch, block, threads, live, (launch.threads + 31) / 32, checks}, barrier, 0);
}

void GangSync::check_operation(const ThreadFrame& gang, std::uint64_t lanes,
                               const AccessOfGang& access, const Operation& operation,
                               const BlockChecks& checks) {
  const LaunchContext& launch = launch_of(gang);
  std::vector<ThreadFrame> threads = frames_of_block(launch);
  LiveLanes live{};
  each_lane(gang, lanes, access, [&](ThreadFrame& frame) {
    // The gang is a warp.
    const std::uint32_t lane = frame.linear % 32;
    frame.mask = operation.mask;
    frame.detail = operation.kind;
    if (operation.b != nullptr) frame.operand[1] = operation.b[lane];
    if (operation.c != nullptr) frame.operand[2] = operation.c[lane];
    put(threads, live, frame);
  });
  const std::uint32_t warp = gang.linear / 32;
  check_warp_op({launch, *gang.block, threads, live, (launch.threads + 31) / 32, checks}, warp,
                live[warp]);
}

}  // namespace pycuda::cpu::exec
