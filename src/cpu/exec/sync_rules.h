// SPDX-License-Identifier: MIT
// The rules of barriers and warp operations. A block that breaks one need not hang, here or on a
// GPU: the rule defines it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cpu/exec/block_checks.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/named_barrier.h"

namespace pycuda::cpu::exec {

/// A block as its scheduler has it.
struct SyncState {
  const LaunchContext& launch;
  const BlockFrame& block;
  const std::vector<ThreadFrame>& threads;
  const LiveLanes& live;
  unsigned warps;
  const BlockChecks& checks;
};

/// `thread` comes to `barrier`, which it does not count yet: the number of threads that it expects
/// is one that others expect too and that can come.
void check_arrival(const SyncState& state, const ThreadFrame& thread, const NamedBarrier& barrier);

/// The barrier opens: no thread exited before it, the threads of a warp, and of a block that all
/// wait, are at the same one.
void check_opening(const SyncState& state, const NamedBarrier& barrier, unsigned id);

/// Lanes of a warp have come to an operation: its mask names each of them. By a shuffle, none of
/// them reads from a lane that is not among them.
void check_warp_op(const SyncState& state, unsigned warp, std::uint32_t lanes);

/// The block has ended: no barrier was left half arrived at.
void check_rest(const SyncState& state, const std::array<NamedBarrier, barrier_count>& barriers);

/// A deadlock ends the launch; it is listed as well.
void list_deadlock(const SyncState& state, const std::string& waiting);

}  // namespace pycuda::cpu::exec
