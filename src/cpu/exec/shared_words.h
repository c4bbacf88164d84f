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
#include "cpu/kernel_abi/word_states.h"

namespace pycuda::cpu::exec {

/// As in FastTrack, an epoch (a thread or warp and its clock, here a stamp) stands for a vector
/// clock wherever it can. Where one thread alone accesses a word between two barriers, or lanes of
/// one warp read it, the word's state says that and compiled code sees to it. Of other words two
/// reads, two writes and two strong writes are kept, of different warps where there are such:
/// whatever races with any access since the barrier races with one of these. Words of which threads
/// access parts have a history.
class SharedWords {
 public:
  /// What accesses of one instruction have in common.
  struct Lanes {
    std::uint32_t place = 0, log_bytes = 2;
  };

  /// A new block, whose threads `order` orders and whose own shared memory is at `window`.
  void start(std::uint64_t window, std::uint64_t bytes, std::uint32_t threads,
             const ThreadOrder& order);
  WordStates& for_code() { return code_; }
  /// Whether clocks must begin again before the next block; they do.
  bool is_worn() const { return ThreadOrder::is_late(code_.clock_offset); }
  void begin_clocks() { code_.clock_offset = 0; }
  /// All threads synchronise; or these lanes of a warp, in `order`, too.
  void sync_block();
  void sync_lanes(std::uint32_t warp, std::uint32_t lanes, ThreadOrder& order);
  /// The same for all lanes of a warp. False if they are not all, or more is to be done.
  bool sync_warp(std::uint32_t warp, std::uint32_t lanes, ThreadOrder& order) {
    const std::uint32_t left = threads_ - warp * 32;
    const std::uint32_t whole = left >= 32 ? ~0u : (1u << left) - 1;
    if ((lanes & whole) != whole || is_last_stamp()) return false;
    const std::uint32_t before = clock_of(code_.stamps[warp]);
    latest_ += one_stamp;
    code_.stamps[warp] = latest_;
    order.sync_warp(warp, before, clock_of(latest_));
    return true;
  }
  /// Of a thread: the clock for what it does.
  std::uint32_t clock(std::uint32_t thread) const { return clock_of(code_.stamps[thread / 32]); }

  /// A read of the whole word, if all is in order and that is easily seen; else nothing is done.
  bool read(std::size_t word, std::uint32_t thread, const Lanes& lanes);
  /// The same for several lanes of a warp.
  bool read(std::size_t word, std::uint32_t warp, std::uint32_t mask, const Lanes& lanes);
  /// Whether a write of the whole word is in order, as is easily seen: write() may follow.
  bool may_write(std::size_t word, std::uint32_t thread, const Lanes& lanes) const {
    const std::uint32_t state = states_[word], own = own_state(thread, lanes);
    return state < code_.base || state == own || state == (own | mark(State::Written)) ||
           state == (own | mark(State::AlsoWritten));
  }
  void write(std::size_t word, std::uint32_t thread, const Lanes& lanes) {
    const std::uint32_t own = own_state(thread, lanes);
    if (states_[word] == (own | mark(State::AlsoWritten))) return;
    set(word, own | mark(State::Written), lanes.place);
  }
  /// Whether a strong write would add nothing.
  bool is_known_update(std::size_t word, std::uint32_t thread) const {
    const std::uint32_t state = states_[word], warp = thread / 32;
    return state == (code_.base | mark(State::UpdatedByMany)) ||
           (state == (code_.stamps[warp] | mark(State::UpdatedInWarp) | warp) &&
            (lanes_[word] >> thread % 32 & 1) != 0);
  }
  /// A strong write, as read().
  bool update(std::size_t word, const PastAccess& now);
  /// Threads with consecutive numbers, from `thread` on, read a word each.
  struct Row {
    std::size_t word = 0, step = 1;
    std::uint32_t thread = 0, count = 0;
  };
  /// The same for all of them or none: fewer words may be easily seen to be in order.
  bool read_row(const Row& row, const Lanes& lanes);

  /// Calls conflict(past) for what conflicts with an access and does not come before it.
  template <class Conflict>
  void look(std::size_t word, const PastAccess& now, Conflict&& conflict) const {
    const std::uint32_t state = states_[word];
    if (state < code_.base) return;
    const auto see = [&](const PastAccess& past) {
      if (past.interval == now.interval && (past.mask & now.mask) != 0 &&
          in_conflict(past.kind, now.kind) && !order_->precedes(past.moment(), now.thread))
        conflict(past);
    };
    if (is_single(state)) {
      for (const PastAccess& past : singles(word)) see(past);
    } else if (has_two(word)) {
      // Of its own warp, the thread may come after the one: then it races with the other.
      for (const PastAccess& past : two(word)) {
        if (past.thread / 32 != now.thread / 32) see(past);
      }
    } else if (kind_of(state) == State::InParts) {
      for (const PastAccess& past : histories_[word].past()) see(past);
    } else {
      for (const auto& past : past_) see(past[word]);
    }
  }
  /// The access has been looked at.
  void put(std::size_t word, const PastAccess& now);

 private:
  using State = WordState;
  static constexpr std::uint32_t one_stamp = 1u << State::stamp_begin;
  /// Whether stamps must begin again before the next one.
  bool is_last_stamp() const { return latest_ >= ~std::uint32_t{0} - 2 * one_stamp; }
  static constexpr std::uint32_t mark(State::Kind kind) { return State::mark(kind); }
  static State::Kind kind_of(std::uint32_t state) {
    return static_cast<State::Kind>(state >> State::kind_begin & 15);
  }
  /// Whether the state tells all.
  static bool is_single(std::uint32_t state) {
    const State::Kind kind = kind_of(state);
    return kind <= State::Written || kind == State::ReadInWarp;
  }
  /// Whether `lanes_` names two threads that have read the word.
  bool has_two(std::size_t word) const {
    return states_[word] == (code_.base | mark(State::ReadByMany)) && lanes_[word] != 0;
  }
  static constexpr unsigned two_begin = State::second_begin, two_size_begin = State::two_size_begin;
  static std::uint32_t name_in(std::uint32_t state) { return state & 1023; }
  std::uint32_t own_state(std::uint32_t thread, const Lanes& lanes) const {
    return code_.stamps[thread / 32] | State::size(lanes.log_bytes) | thread;
  }
  std::uint32_t clock_of(std::uint32_t stamp) const {
    return code_.clock_offset + (stamp >> State::stamp_begin);
  }

  enum Group : unsigned { Reads, Writes, Updates, group_count };
  static Group group_of(std::uint8_t kind) {
    return kind == PastAccess::Read ? Reads : kind == PastAccess::Write ? Writes : Updates;
  }
  void set(std::size_t word, std::uint32_t state, std::uint32_t place) {
    states_[word] = state;
    places_[word] = place;
  }
  /// The access of a state that has a single thread or warp.
  PastAccess single(std::size_t word, std::uint32_t thread) const;
  std::array<PastAccess, 2> singles(std::size_t word) const;
  std::array<PastAccess, 2> two(std::size_t word) const;
  void spread(std::size_t word);
  void read_by_many(std::size_t word, std::uint32_t thread, const Lanes& lanes);
  void part_warp(std::uint32_t warp, std::uint32_t lanes);
  std::uint32_t next_stamp();
  void renumber();
  void put_in_parts(std::size_t word, const PastAccess& now);
  State::Kind kind_after(std::size_t word, const PastAccess& now) const;

  const ThreadOrder* order_ = nullptr;
  std::uint32_t threads_ = 0;
  std::uint32_t latest_ = 0;  ///< the latest stamp
  WordStates code_;
  std::size_t words_ = 0;              ///< that there is room for
  std::vector<std::uint32_t> arrays_;  ///< the three that follow, by word
  std::uint32_t *states_ = nullptr, *places_ = nullptr, *lanes_ = nullptr;
  std::array<std::vector<PastAccess>, std::size_t{2} * group_count> past_;
  std::vector<WordHistory> histories_;
};

}  // namespace pycuda::cpu::exec
