// SPDX-License-Identifier: MIT
// The accesses of a launch to global memory, and what its blocks know of one another.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

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

/// What is known of a block: all of its earlier intervals, and in this one what the clocks say.
struct BlockKnowledge {
  std::uint32_t interval = 0;
  Knowledge clocks;
};

/// By the number of the block. Threads of many blocks share what they know.
class GridKnowledge {
 public:
  bool empty() const { return blocks_.empty(); }
  void clear() { blocks_.clear(); }
  void add(std::uint32_t block, std::shared_ptr<const BlockKnowledge> known);
  void join(const GridKnowledge& other);
  /// Whether a past access is known to be over.
  bool covers(const GridAccess& past) const;

 private:
  std::unordered_map<std::uint32_t, std::shared_ptr<const BlockKnowledge>> blocks_;
};

/// One per launch that is checked for races. Any thread.
class GridRaces {
 public:
  static constexpr std::uint64_t page_bytes = 4096;

  /// The latest accesses of a page's words. Used by one thread at a time (`busy`).
  class Page {
   public:
    std::atomic_flag busy;
    std::uint64_t cycle = 0;  ///< generations of one cycle do not repeat

    /// History::add in two steps, for a launch of this generation: calls conflict(past) for what
    /// conflicts with the access, and adds it.
    template <class Precedes, class Conflict>
    void look(const GridAccess& now, std::size_t word, std::uint16_t generation,
              Precedes&& precedes, Conflict&& conflict) const;
    template <class Precedes>
    void put(const GridAccess& now, std::size_t word, std::uint16_t generation,
             Precedes&& precedes);

   private:
    /// Of each word a write and two reads; others have a history.
    enum Entry : unsigned { Written, FirstRead, OtherRead, entry_count };
    static constexpr std::size_t word_count = page_bytes / history_word;
    struct Word {
      std::uint16_t generation = 0;  ///< of the launch that the history is of
      History<GridAccess, 3> history;
    };
    // A tag: thread, interval (its lower bits), block, whether a history has the word, generation.
    static constexpr unsigned interval_begin = 10, block_begin = 26, elsewhere_begin = 47,
                              generation_begin = 48;
    static constexpr std::uint64_t elsewhere = std::uint64_t{1} << elsewhere_begin;
    static constexpr std::uint32_t most_blocks = 1u << (elsewhere_begin - block_begin);

    static std::uint64_t tag_of(const GridAccess& now, std::uint16_t generation) {
      return std::uint64_t{now.thread} |
             std::uint64_t{static_cast<std::uint16_t>(now.interval)} << interval_begin |
             std::uint64_t{now.block} << block_begin |
             std::uint64_t{generation} << generation_begin;
    }
    static bool is_of_block(std::uint64_t left, std::uint64_t right) {
      return ((left ^ right) & ~elsewhere) >> block_begin == 0;
    }
    std::size_t at(Entry entry, std::size_t word) const { return entry * word_count + word; }
    bool is_current(Entry entry, std::size_t word, std::uint16_t generation) const {
      return tags_[at(entry, word)] >> generation_begin == generation;
    }
    GridAccess past_access(Entry entry, std::size_t word) const;
    bool is_elsewhere(std::size_t word, std::uint16_t generation) const {
      return is_current(Written, word, generation) && (tags_[at(Written, word)] & elsewhere) != 0;
    }
    void put(Entry entry, std::size_t word, const GridAccess& now, std::uint64_t tag);
    void put_read(std::size_t word, const GridAccess& now, std::uint64_t tag);
    Word& history_of(std::size_t word, std::uint16_t generation);
    void move(std::size_t word, std::uint16_t generation);

    std::array<std::uint64_t, entry_count * word_count> tags_{};
    std::array<std::uint32_t, entry_count * word_count> intervals_{}, places_{}, clocks_{};
    std::unique_ptr<std::array<Word, word_count>> histories_;
  };

  /// A page that this thread uses alone.
  class Held {
   public:
    explicit Held(Page& page) : page_(page) {
      while (page_.busy.test_and_set(std::memory_order_acquire)) {
      }
    }
    ~Held() { page_.busy.clear(std::memory_order_release); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

   private:
    Page& page_;
  };

  GridRaces();
  ~GridRaces();

  /// Of this launch, not 0.
  std::uint16_t generation() const { return generation_; }

  /// The words of an address's page; null where memory is not looked at: a thread's own, or more
  /// than there is room for.
  Page* page(std::uint64_t address);

  void release(std::uint64_t address, const GridKnowledge& knowledge);
  void acquire(std::uint64_t address, GridKnowledge& knowledge);

 private:
  std::unique_ptr<Page> make_page(std::uint64_t address);

  std::uint16_t generation_ = 0;
  std::uint64_t cycle_ = 0;

  static constexpr std::size_t most_pages = 16384;  ///< a GB of histories
  std::shared_mutex mutex_;                         ///< protects `pages_`
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::size_t made_ = 0;
  std::mutex releases_mutex_;  ///< protects `releases_`
  std::unordered_map<std::uint64_t, GridKnowledge> releases_;
  std::atomic<bool> any_release_{false};
};

template <class Precedes, class Conflict>
void GridRaces::Page::look(const GridAccess& now, std::size_t word, std::uint16_t generation,
                           Precedes&& precedes, Conflict&& conflict) const {
  if (is_elsewhere(word, generation)) {
    const Word& own = (*histories_)[word];
    if (own.generation != generation) return;
    for (const GridAccess& past : own.history.past()) {
      if (past.interval != 0 && (past.mask & now.mask) != 0 && in_conflict(past.kind, now.kind) &&
          !precedes(past))
        conflict(past);
    }
    return;
  }
  const std::uint64_t tag = tag_of(now, generation);
  for (const Entry entry : {Written, FirstRead, OtherRead}) {
    const std::uint64_t before = tags_[at(entry, word)];
    if (before >> generation_begin != generation) continue;
    // Another interval of the same block is over.
    if (is_of_block(before, tag) &&
        ((before ^ tag) & ((std::uint64_t{1} << block_begin) - 1)) >> interval_begin != 0)
      continue;
    const GridAccess past = past_access(entry, word);
    if (in_conflict(past.kind, now.kind) && !is_same_thread(past, now) && !precedes(past))
      conflict(past);
  }
}

template <class Precedes>
void GridRaces::Page::put(const GridAccess& now, std::size_t word, std::uint16_t generation,
                          Precedes&& precedes) {
  const bool is_write = now.kind == PastAccess::Write;
  const bool is_simple = now.mask == 15 && now.log_bytes == 2 && now.block < most_blocks &&
                         (is_write || now.kind == PastAccess::Read);
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
