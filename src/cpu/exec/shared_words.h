// SPDX-License-Identifier: MIT
// The latest accesses of the words of a block's shared memory, for blocks that run in gangs: only
// barriers of the whole block and warp operations order their threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/exec/access_history.h"
#include "cpu/exec/thread_order.h"

namespace pycuda::cpu::exec {

/// Of each word two reads, two writes and two strong writes, of different warps where there are
/// such: whatever races with any other access of the word since the last barrier races with one of
/// these. Words of which threads access parts have a history. A number says of a word which
/// accesses would add nothing.
class SharedWords {
 public:
  /// A new block, whose threads `order` orders.
  void start(std::size_t words, std::uint32_t threads, const ThreadOrder& order);
  /// All threads synchronise, or these lanes of a warp.
  void sync_block();
  void sync_lanes(std::uint32_t warp, std::uint32_t lanes);

  /// Whether such an access of all of the word, which is not a strong read, adds nothing.
  bool is_known(std::size_t word, std::uint8_t kind, std::uint32_t thread) const {
    const std::uint32_t state = states_[word];
    const std::uint32_t stamp = stamps_[thread / 32];
    const std::uint32_t own = stamp | thread;
    if (kind == PastAccess::Read) {
      if ((state & ~mark(Written)) == own) return true;  // read or written by the thread
      return is_known_of(word, ReadInWarp, thread) ||
             (state >= base_ && (state & all_kinds) == mark(ReadByMany));
    }
    if (kind == PastAccess::Write) return state == (own | mark(Written));
    return is_known_of(word, UpdatedInWarp, thread) ||
           (state >= base_ && (state & all_kinds) == mark(UpdatedByMany));
  }

  /// Calls conflict(past) for what conflicts with an access and does not come before it.
  template <class Conflict>
  void look(std::size_t word, const PastAccess& now, Conflict&& conflict) const {
    const std::uint32_t state = states_[word];
    if (state < base_) return;
    const auto see = [&](const PastAccess& past) {
      if (past.interval == now.interval && (past.mask & now.mask) != 0 &&
          in_conflict(past.kind, now.kind) && !order_->precedes(past.moment(), now.thread))
        conflict(past);
    };
    if ((state & all_kinds) == mark(InParts)) {
      for (const PastAccess& past : histories_[word].past()) see(past);
      return;
    }
    for (const auto& past : past_) see(past[word]);
  }
  /// The access has been looked at.
  void put(std::size_t word, const PastAccess& now);

 private:
  enum Kind : std::uint32_t {
    Read,           ///< by the thread that the number names; it may do so again
    Written,        ///< by that thread, and what others did comes before; it may do so again
    ReadInWarp,     ///< in one line, by lanes of the warp that the number names (`lanes_`)
    ReadByMany,     ///< all may do so
    UpdatedInWarp,  ///< the same for strong writes
    UpdatedByMany,
    Mixed,    ///< it depends on the accesses
    InParts,  ///< a history has them
  };
  // A state: what the number names, the kind, and the stamp of the warp when it was so.
  static constexpr unsigned kind_begin = 10, stamp_begin = 13;
  static constexpr std::uint32_t one_stamp = 1u << stamp_begin;
  static constexpr std::uint32_t all_kinds = 7u << kind_begin;
  static constexpr std::uint32_t mark(Kind kind) { return kind << kind_begin; }

  enum Group : unsigned { Reads, Writes, Updates, group_count };
  static Group group_of(std::uint8_t kind) {
    return kind == PastAccess::Read ? Reads : kind == PastAccess::Write ? Writes : Updates;
  }
  bool is_known_of(std::size_t word, Kind kind, std::uint32_t thread) const {
    return states_[word] == (stamps_[thread / 32] | mark(kind) | thread / 32) &&
           (lanes_[word] >> thread % 32 & 1) != 0;
  }
  void part_warp(std::uint32_t warp, std::uint32_t lanes);
  std::uint32_t next_stamp();
  void renumber();
  void put_in_parts(std::size_t word, const PastAccess& now);
  Kind kind_after(std::size_t word, const PastAccess& now) const;

  const ThreadOrder* order_ = nullptr;
  std::uint32_t threads_ = 0;
  std::uint32_t latest_ = 0;  ///< the latest stamp
  std::uint32_t base_ = one_stamp;  ///< states of this interval are not less
  std::array<std::uint32_t, 32> stamps_{};  ///< by warp
  std::uint32_t warps_in_one_ = 0;  ///< those of whose lanes states tell, at their stamps
  std::vector<std::uint32_t> states_;       ///< by word, as what follows
  std::vector<std::uint32_t> lanes_;
  std::array<std::vector<PastAccess>, std::size_t{2} * group_count> past_;
  std::vector<WordHistory> histories_;
};

}  // namespace pycuda::cpu::exec
