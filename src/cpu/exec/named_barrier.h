// SPDX-License-Identifier: MIT
// One of a block's sixteen barriers: who arrived, who waits.
#pragma once

#include <array>
#include <cstdint>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu::exec {

inline constexpr unsigned max_warps = 32;  // 1024 threads
inline constexpr unsigned barrier_count = 16;

/// By warp: a bit for each lane that has started and not exited.
using LiveLanes = std::array<std::uint32_t, max_warps>;

class NamedBarrier {
 public:
  /// A lane arrives; `expected` is the number of threads, 0 for the whole block (the first arrival
  /// decides). `waits`: it stands still until the barrier opens.
  void arrive(unsigned warp, unsigned lane, std::uint32_t expected, bool waits);
  /// The same, and its predicate takes part in the reduction.
  void arrive_reducing(unsigned warp, unsigned lane, std::uint32_t expected, bool predicate);
  bool used() const { return arrivals_ != 0; }
  /// Whether enough threads arrived. For the whole block: every live one. For a count: exited and
  /// missing lanes of a warp that arrived count as arrived, as hardware counts whole warps.
  bool complete(const LiveLanes& live, unsigned warps);
  std::uint32_t waiting(unsigned warp) const { return waiting_[warp]; }
  const LiveLanes& waiting() const { return waiting_; }
  /// Those that wait, and those that went on.
  const LiveLanes& arrived() const { return arrived_; }
  std::uint32_t expected() const { return expected_; }
  std::uint32_t arrivals() const { return arrivals_; }
  /// What a reducing thread gets.
  std::uint64_t reduction(BarrierReduce kind) const;
  void reset() { *this = NamedBarrier(); }

 private:
  LiveLanes arrived_{};
  LiveLanes waiting_{};
  std::uint32_t arrivals_ = 0;
  std::uint32_t repeated_ = 0;  ///< arrivals of lanes that had arrived before
  std::uint32_t expected_ = 0;
  std::uint32_t reducing_ = 0;
  std::uint32_t true_predicates_ = 0;
  unsigned late_warp_ = 0;  ///< a warp that was incomplete at the last look
};

}  // namespace pycuda::cpu::exec
