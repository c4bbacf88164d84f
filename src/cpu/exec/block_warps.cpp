// SPDX-License-Identifier: MIT
// Which lanes of a warp execute an operation together, and when.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "cpu/exec/block_run.h"
#include "cpu/exec/counting.h"
#include "cpu/exec/warp_ops.h"

namespace pycuda::cpu::exec {

void BlockRun::complete_op(unsigned index, std::uint32_t lanes) {
  ThreadFrame* const frames = &threads_[std::size_t{index} * 32];
  const ThreadFrame& first = frames[std::countr_zero(lanes)];
  const auto op = static_cast<WarpOp>(first.detail);
  const bool is_turn = is_at_turn(first);
  if (counts(op)) {
    count_for_lanes(op, lanes, frames);
  } else {
    execute_warp_op(op, lanes, frames);
  }
  // A turn is no operation of the program: it orders nothing.
  if (is_checked_ && !is_turn) {
    check_warp_op(sync_state(), index, lanes);
    if (op != WarpOp::ActiveMask) checks_->sync_lanes(index, lanes);
  }
  warps_[index].at_op &= ~lanes;
  warps_[index].ready |= lanes;
}

bool BlockRun::resolve_masked(unsigned index) {
  Warp& warp = warps_[index];
  const ThreadFrame* const frames = &threads_[std::size_t{index} * 32];
  bool any = false;
  for (std::uint32_t left = warp.at_op; left != 0;) {
    const ThreadFrame& first = frames[std::countr_zero(left)];
    std::uint32_t group = 0;
    for (std::uint32_t lanes = left; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      if (frames[lane].mask == first.mask && frames[lane].detail == first.detail) {
        group |= 1u << lane;
      }
    }
    left &= ~group;
    // A lane that is not in its own mask takes part: undefined on hardware.
    if (first.mask == 0 || (first.mask & live_[index] & ~group) != 0) continue;
    complete_op(index, group);
    any = true;
  }
  return any;
}

/// Whether the lanes that would be next at an unmasked operation are at a turn behind the place
/// where others spin: in step with the others, these would have come along.
bool BlockRun::awaits_spinning_lanes(unsigned index) const {
  const std::uint32_t group = warps_[index].yielded != 0 ? least_far(index) : 0;
  if (group == 0) return false;
  const ThreadFrame* const frames = &threads_[std::size_t{index} * 32];
  const ThreadFrame& next = frames[std::countr_zero(group)];
  if (!is_at_turn(next)) return false;
  const std::uint32_t awaited = warps_[index].yielded & ~warps_[index].given_up;
  for (std::uint32_t lanes = awaited; lanes != 0; lanes &= lanes - 1) {
    if (frames[std::countr_zero(lanes)].site < next.site) return true;
  }
  return false;
}

bool BlockRun::resolve_unmasked(unsigned index) {
  const std::uint32_t group = least_far(index);
  if (group != 0) complete_op(index, group);
  return group != 0;
}

/// Of the lanes at unmasked operations those that go first: they may catch up with the others.
std::uint32_t BlockRun::least_far(unsigned index) const {
  const Warp& warp = warps_[index];
  const ThreadFrame* const frames = &threads_[std::size_t{index} * 32];
  std::uint32_t group = 0;
  std::uint32_t site = 0;
  for (std::uint32_t lanes = warp.at_op; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const ThreadFrame& thread = frames[lane];
    if (thread.mask != 0) continue;
    if (group == 0 || thread.site < site) {
      group = 0;
      site = thread.site;
    }
    if (thread.site != site) continue;
    if (group != 0 && frames[std::countr_zero(group)].detail != thread.detail) continue;
    // Two lanes that took different ways to the same operation count two places.
    if (counts(static_cast<WarpOp>(thread.detail)) && group != 0 &&
        frames[std::countr_zero(group)].operand[1] != thread.operand[1])
      continue;
    group |= 1u << lane;
  }
  return group;
}

/// Lanes at turns go on without those of their warp that spin: these may be waiting for them.
void BlockRun::release_turns() {
  idle_runs_ = 0;
  for (unsigned warp = 0; warp < warp_count_; ++warp) {
    // Where all spin, they leave together.
    if (warps_[warp].at_op != 0) warps_[warp].given_up = warps_[warp].spinning;
  }
}

}  // namespace pycuda::cpu::exec
