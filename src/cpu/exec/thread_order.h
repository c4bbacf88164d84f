// SPDX-License-Identifier: MIT
// Which of two threads' accesses in a block came before the other, by the program's own
// synchronisation: vector clocks, and a number that grows at each barrier of the whole block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pycuda::cpu::exec {

/// When a thread did something.
struct Moment {
  std::uint32_t interval = 0;  ///< between two barriers of the block; 0: never
  std::uint32_t clock = 0;     ///< of the thread: grows whenever it synchronises with some others
  std::uint16_t thread = 0;
};

/// What a thread knows of the others: by thread, the clock up to which all has happened before.
using Knowledge = std::vector<std::uint32_t>;

class ThreadOrder {
 public:
  /// A new block of so many threads: all earlier moments come before it.
  void start(std::uint32_t threads);
  /// Whether clocks are about to be more than histories have room for.
  bool is_worn() const { return std::any_of(clocks_.begin(), clocks_.end(), is_late); }
  static constexpr bool is_late(std::uint32_t clock) { return clock > 1u << 28; }
  /// What is known is of no use for the next block.
  void forget() { threads_ = 0; }
  /// The clocks of a warp's threads, which have not been as far.
  void set_clocks(std::uint32_t warp, std::uint32_t clock) {
    const std::uint32_t first = warp * lanes;
    std::fill(clocks_.begin() + first, clocks_.begin() + std::min(first + lanes, threads_), clock);
  }
  /// All lanes of a warp, whose clocks are `before`, synchronise: then they are `after`.
  void sync_warp(std::uint32_t warp, std::uint32_t before, std::uint32_t after) {
    warps_[warp] = {after, before};
  }
  /// A barrier of the whole block.
  void sync_block() { ++interval_; }
  /// Lanes of a warp synchronise with each other.
  void sync_lanes(std::uint32_t warp, std::uint32_t lanes);
  /// What the thread has done and knows becomes part of `knowledge`.
  void publish(std::uint32_t thread, Knowledge& knowledge);
  /// What the thread does from now on is later than what it has done.
  void pass(std::uint32_t thread);
  /// The thread comes after what `knowledge` says.
  void learn(std::uint32_t thread, const Knowledge& knowledge);

  Moment now(std::uint32_t thread) const {
    return {interval_, std::max(clocks_[thread], warps_[thread / lanes].clock),
            static_cast<std::uint16_t>(thread)};
  }
  std::uint32_t interval() const { return interval_; }
  /// Whether `moment` comes before what `thread` does now.
  bool precedes(const Moment& moment, std::uint32_t thread) const {
    return moment.thread == thread || moment.interval != interval_ ||
           knows(thread, moment.thread) >= moment.clock;
  }

 private:
  std::uint32_t knows(std::uint32_t thread, std::uint32_t other) const {
    const bool is_in_warp = thread / lanes == other / lanes;
    const std::uint32_t common =
        is_in_warp ? std::max(common_[other], warps_[other / lanes].common) : 0;
    if (width_ == lanes && !is_in_warp) return 0;
    return std::max(
        common, rows_[std::size_t{thread} * width_ + (width_ == lanes ? other % lanes : other)]);
  }
  /// What is known of the warp as a whole becomes known of each of its threads.
  void settle(std::uint32_t warp);
  /// Rows of all threads of the block, not of a warp alone.
  void widen();

  static constexpr std::uint32_t lanes = 32;
  std::uint32_t threads_ = 0;
  std::uint32_t interval_ = 0;
  std::uint32_t width_ = lanes;        ///< of a row
  std::vector<std::uint32_t> clocks_;  ///< by thread
  std::vector<std::uint32_t> rows_;    ///< by thread: what it knows of others
  std::vector<std::uint32_t> common_;  ///< by thread: what all of its warp know of it
  /// Of all threads of a warp, the least that their clocks and what their warp knows of them are.
  struct Warp {
    std::uint32_t clock = 0, common = 0;
  };
  std::vector<Warp> warps_;
};

}  // namespace pycuda::cpu::exec
