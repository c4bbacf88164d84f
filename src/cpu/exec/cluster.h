// SPDX-License-Identifier: MIT
// The blocks of a cluster that runs: their shared memory, and the barrier of all their threads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "cpu/kernel_abi/clusters.h"

namespace pycuda::cpu::exec {

class BlockRun;

/// All blocks of a cluster run on one OS thread at a time, in turns.
class Cluster {
 public:
  /// Of blocks that have started, by rank. They outlive it.
  void start(std::span<BlockRun* const> blocks);

  std::uint32_t blocks() const { return count_; }
  /// The window of the block of this rank.
  std::byte* window(std::uint32_t rank) const { return windows_[rank]; }
  /// Which block's window holds [address, address + bytes); nothing for other addresses.
  std::optional<std::uint32_t> owner(std::uint64_t address, std::uint64_t bytes) const;
  /// Whether the block has threads that have not exited.
  bool lives(std::uint32_t rank) const;

  /// A thread arrives; the phase that it has arrived for, counted from 1.
  std::uint32_t arrive();
  /// Whether a thread that has arrived for `phase` need not wait.
  bool is_over(std::uint32_t phase) const { return phase <= phases_; }
  /// Exited threads are not waited for. `phase`: the one that the thread has arrived for and not
  /// waited for, or 0.
  void exited(std::uint32_t phase);
  std::uint32_t arrived() const { return arrived_; }
  std::uint32_t live() const { return live_; }

 private:
  void end_phase_if_complete();

  std::array<BlockRun*, most_cluster_blocks> runs_{};
  std::array<std::byte*, most_cluster_blocks> windows_{};
  std::uint64_t window_bytes_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t live_ = 0;     ///< threads of all blocks that have not exited
  std::uint32_t arrived_ = 0;  ///< of these, in this phase
  std::uint32_t phases_ = 0;   ///< that are complete
};

}  // namespace pycuda::cpu::exec
