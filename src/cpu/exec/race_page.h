// SPDX-License-Identifier: MIT
// The accesses of a launch to a page of global memory: by line where neighbouring threads access
// neighbouring words, else by word.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "cpu/exec/access_history.h"
#include "cpu/exec/thread_order.h"

namespace pycuda::cpu::exec {

struct GridAccess : PastAccess {
  std::uint32_t block = 0;  ///< its number in the grid
};
inline bool is_same_thread(const GridAccess& left, const GridAccess& right) {
  return left.thread == right.thread && left.block == right.block;
}
inline bool is_same_warp(const GridAccess& left, const GridAccess& right) {
  return left.thread / 32 == right.thread / 32 && left.block == right.block;
}
/// Strong accesses conflict unless the scope of each includes the other's thread; of clusters that
/// is left to be asked.
constexpr bool in_conflict(const GridAccess& left, const GridAccess& right) {
  if (in_conflict(left.kind, right.kind)) return true;
  return (left.scope | right.scope) != PastAccess::OfDevice && left.block != right.block &&
         left.is_strong() && right.is_strong() &&
         (left.kind == PastAccess::StrongWrite || right.kind == PastAccess::StrongWrite);
}

/// What threads with consecutive numbers do to all of a line.
struct LineAccess {
  std::uint64_t tag = 0;  ///< of the thread that accesses the first bytes
  std::uint32_t interval = 0, place = 0, clock = 0;
  bool is_read = true;
};

/// Each line is used by one thread at a time (`Held`). Launches that use a page one after the other
/// have generations of their own, which are not 0.
class RacePage {
  struct Line;

 public:
  static constexpr std::uint64_t page_bytes = 4096, line_bytes = 64;
  static constexpr std::size_t word_count = page_bytes / history_word;

  /// A line that this thread uses alone.
  class Held {
   public:
    Held(RacePage& page, std::size_t word) : Held(page.lines_[word / line_words]) {}
    explicit Held(Line& line) : state_(line.state) {
      constexpr unsigned patience = 1000;
      for (unsigned tries = 0; (state_.fetch_or(busy, std::memory_order_acquire) & busy) != 0;
           ++tries) {
        if (tries > patience) std::this_thread::yield();
      }
    }
    // No other thread changes it meanwhile.
    ~Held() {
      state_.store(state_.load(std::memory_order_relaxed) & ~busy, std::memory_order_release);
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

   private:
    std::atomic<std::uint32_t>& state_;
  };

  std::uint64_t cycle = 0;  ///< generations of one cycle do not repeat
  bool is_of_one_allocation = false;

  /// History::add in two steps: calls conflict(past) for what conflicts with the access and that
  /// `precedes(past)` does not put before it, and adds it. The word's line is held.
  template <class Precedes, class Conflict>
  void look(const GridAccess& now, std::size_t word, std::uint16_t generation, Precedes&& precedes,
            Conflict&& conflict);
  template <class Precedes>
  void put(const GridAccess& now, std::size_t word, std::uint16_t generation, Precedes&& precedes);
  /// Adds a plain access of a whole word, whose `tag` it is, if that is easily seen to be in order;
  /// else nothing is done. The word's line is held.
  bool add_word(const GridAccess& now, std::size_t word, std::uint64_t tag) {
    const auto generation = static_cast<std::uint16_t>(tag >> generation_begin);
    tell_by_words(word, generation);
    if (is_elsewhere(word, generation)) return false;
    const auto is_in_order = [&](Entry entry) {
      const std::uint64_t before = words_[word].tags[entry];
      constexpr std::uint64_t thread = (std::uint64_t{1} << interval_begin) - 1;
      return !is_of(before, generation) || is_over(before, tag) ||
             (is_of_block(before, tag) && ((before ^ tag) & thread) == 0);
    };
    if (!is_in_order(Written)) return false;
    if (now.kind == PastAccess::Read) {
      put_read(word, now, tag);
      return true;
    }
    if (!is_in_order(FirstRead) || !is_in_order(OtherRead)) return false;
    put(Written, word, now, tag);
    return true;
  }
  /// Whether the access is a strong write that is in order and would add nothing, where nothing
  /// orders blocks: strong writes of two are known, and no plain access. The word's line is held.
  bool knows_updates(const GridAccess& now, std::size_t word, std::uint16_t generation) const;
  /// Adds the access to a line, if that is easily seen to be in order; else nothing is done. The
  /// line is not held.
  bool add_line(const LineAccess& now, std::size_t number) {
    if (add_first(now, number)) return true;
    const LineAccess copy = now;  // so that the first access of a line needs none in memory
    return add_to_line(copy, number);
  }
  /// Adds the access if it is the line's first.
  bool add_first(const LineAccess& now, std::size_t number) {
    Line& line = lines_[number];
    const auto generation = static_cast<std::uint16_t>(now.tag >> generation_begin);
    std::uint32_t state = line.state.load(std::memory_order_relaxed);
    if (static_cast<std::uint16_t>(state) == generation || (state & busy) != 0 ||
        !line.state.compare_exchange_strong(state, generation | busy, std::memory_order_acquire,
                                            std::memory_order_relaxed))
      return false;
    line.put(now.is_read ? FirstRead : Written, now);
    line.state.store(generation, std::memory_order_release);
    return true;
  }
  /// The same for any access.
  bool add_to_line(const LineAccess& now, std::size_t number);
  /// `clock` of a LineAccess.
  static std::uint32_t sized_clock(std::uint32_t clock, unsigned log_bytes) {
    return clock | log_bytes << size_begin;
  }
  static bool has_tag(std::uint32_t block) { return block < most_blocks; }
  static std::uint64_t tag_of(std::uint32_t thread, std::uint32_t interval, std::uint32_t block,
                              std::uint16_t generation) {
    return std::uint64_t{thread} |
           std::uint64_t{static_cast<std::uint16_t>(interval)} << interval_begin |
           std::uint64_t{block} << block_begin | std::uint64_t{generation} << generation_begin;
  }

 private:
  /// Of each word or line a write and two reads; other words have a history.
  enum Entry : unsigned { Written, FirstRead, OtherRead, entry_count };
  static constexpr Entry entries[] = {Written, FirstRead, OtherRead};
  static constexpr std::size_t line_words = line_bytes / history_word;

  // A tag: thread, interval (its lower bits), block, whether a history has the word, generation.
  static constexpr unsigned interval_begin = 10, block_begin = 26, elsewhere_begin = 47,
                            generation_begin = 48;
  static constexpr std::uint64_t elsewhere = std::uint64_t{1} << elsewhere_begin;
  static constexpr std::uint32_t most_blocks = 1u << (elsewhere_begin - block_begin);
  static constexpr unsigned size_begin = 29;  ///< of the access's log_bytes, above its clock

  // The state of a line: the latest generation that has accessed it, and of that, whether its words
  // tell. Other generations' entries are not looked at.
  static constexpr std::uint32_t by_words = 1u << 16, busy = 1u << 17;

  static std::uint64_t tag_of(const GridAccess& now, std::uint16_t generation) {
    return tag_of(now.thread, now.interval, now.block, generation);
  }
  static bool is_of(std::uint64_t tag, std::uint16_t generation) {
    return tag >> generation_begin == generation;
  }
  static bool is_of_block(std::uint64_t left, std::uint64_t right) {
    return ((left ^ right) & ~elsewhere) >> block_begin == 0;
  }
  /// Of the same block, but of another interval.
  static bool is_over(std::uint64_t before, std::uint64_t tag) {
    return is_of_block(before, tag) &&
           ((before ^ tag) & ((std::uint64_t{1} << block_begin) - 1)) >> interval_begin != 0;
  }
  static GridAccess access_of(Entry entry, std::uint64_t tag, std::uint32_t interval,
                              std::uint32_t place, std::uint32_t clock);
  /// Where a read goes, whose `tag` it is: reads of two blocks are more likely to conflict with
  /// something than two of one. `entry_count`: nowhere.
  static Entry entry_for_read(std::uint64_t first, std::uint64_t other, std::uint64_t tag);

  /// Fills a line of the cache. What is atomic may be asked without holding it.
  struct alignas(64) Line {
    std::array<std::atomic<std::uint64_t>, entry_count> tags{};
    std::array<std::atomic<std::uint32_t>, entry_count> clocks{}, places{};
    std::array<std::uint32_t, entry_count> intervals{};
    std::atomic<std::uint32_t> state{0};
    bool is_in_order(Entry entry, const LineAccess& now) const;
    bool has(Entry entry, const LineAccess& now) const;
    bool is_spread(std::uint16_t generation) const {
      return (state.load(std::memory_order_relaxed) & ~busy) == (generation | by_words);
    }
    /// The line is held.
    void put(Entry entry, const LineAccess& now) {
      intervals[entry] = now.interval;
      places[entry].store(now.place, std::memory_order_relaxed);
      clocks[entry].store(now.clock, std::memory_order_relaxed);
      tags[entry].store(now.tag, std::memory_order_relaxed);
    }
  };
  static_assert(sizeof(Line) == 64);
  static bool is_known(const Line& line, const LineAccess& now);
  /// Fills a line of the cache, too.
  struct alignas(64) Word {
    std::array<std::uint64_t, entry_count> tags{};
    std::array<std::uint32_t, entry_count> clocks, places, intervals;
  };
  static_assert(sizeof(Word) == 64);
  struct WordOfMany {
    std::uint16_t generation = 0;  ///< of the launch that the history is of
    History<GridAccess, 3> history;
  };

  bool is_elsewhere(std::size_t word, std::uint16_t generation) const {
    const std::uint64_t tag = words_[word].tags[Written];
    return is_of(tag, generation) && (tag & elsewhere) != 0;
  }
  GridAccess past_access(Entry entry, std::size_t word) const;
  void put(Entry entry, std::size_t word, const GridAccess& now, std::uint64_t tag);
  void put_read(std::size_t word, const GridAccess& now, std::uint64_t tag);
  void tell_by_words(std::size_t word, std::uint16_t generation) {
    if (!lines_[word / line_words].is_spread(generation)) spread(word / line_words, generation);
  }
  void spread(std::size_t line, std::uint16_t generation);
  WordOfMany& history_of(std::size_t word, std::uint16_t generation);
  void move(std::size_t word, std::uint16_t generation);

  std::array<Line, page_bytes / line_bytes> lines_{};
  std::once_flag words_made_, histories_made_;
  std::unique_ptr<Word[]> words_;  ///< where a line is spread
  std::unique_ptr<std::array<WordOfMany, word_count>> histories_;
};

template <class Precedes, class Conflict>
void RacePage::look(const GridAccess& now, std::size_t word, std::uint16_t generation,
                    Precedes&& precedes, Conflict&& conflict) {
  tell_by_words(word, generation);
  if (is_elsewhere(word, generation)) {
    const WordOfMany& own = (*histories_)[word];
    if (own.generation != generation) return;
    for (const GridAccess& past : own.history.past()) {
      if (past.interval != 0 && (past.mask & now.mask) != 0 && in_conflict(past, now) &&
          !precedes(past))
        conflict(past);
    }
    return;
  }
  const std::uint64_t tag = tag_of(now, generation);
  for (const Entry entry : entries) {
    const std::uint64_t before = words_[word].tags[entry];
    if (!is_of(before, generation) || is_over(before, tag)) continue;
    if (entry != Written && now.kind == PastAccess::Read) continue;
    const GridAccess past = past_access(entry, word);
    if (in_conflict(past, now) && !is_same_thread(past, now) && !precedes(past)) conflict(past);
  }
}

template <class Precedes>
void RacePage::put(const GridAccess& now, std::size_t word, std::uint16_t generation,
                   Precedes&& precedes) {
  tell_by_words(word, generation);
  const bool is_write = now.kind == PastAccess::Write;
  const bool is_simple =
      now.mask == 15 && now.block < most_blocks && (is_write || now.kind == PastAccess::Read);
  const bool has_history = is_elsewhere(word, generation);
  if (!is_simple || has_history) {
    if (!has_history) move(word, generation);
    history_of(word, generation)
        .history.add(
            now, [](const GridAccess&) { return true; }, precedes, [](const GridAccess&) {});
  } else if (is_write) {
    put(Written, word, now, tag_of(now, generation));
  } else {
    put_read(word, now, tag_of(now, generation));
  }
}

}  // namespace pycuda::cpu::exec
