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

#include "cpu/exec/race_page.h"
#include "cpu/exec/thread_order.h"

namespace pycuda::cpu::exec {

/// What is known of a block: all of its earlier intervals, and in this one what the clocks say.
struct BlockKnowledge {
  std::uint32_t interval = 0;
  Knowledge clocks;
};

/// By the number of the block. Threads of many blocks share what they know.
class GridKnowledge {
 public:
  bool empty() const { return blocks_.empty() && met_.empty(); }
  void clear() {
    blocks_.clear();
    met_.clear();
  }
  void add(std::uint32_t block, std::shared_ptr<const BlockKnowledge> known);
  void join(const GridKnowledge& other);
  /// Whether a past access is known to be over.
  bool covers(const GridAccess& past) const;
  /// The first so many writes that released at the address are over: themselves, not what else
  /// their threads did since the fence before them. Some know that of those of their own block
  /// alone.
  struct Met {
    std::uint64_t count = 0, in_block = 0;
  };
  void meet(std::uint64_t address, const Met& met);
  std::uint64_t met(std::uint64_t address) const { return find_met(address).count; }
  std::uint64_t met_in_block(std::uint64_t address) const { return find_met(address).in_block; }
  /// What is of use to the threads of one block alone.
  void forget_within();

 private:
  Met find_met(std::uint64_t address) const;
  std::unordered_map<std::uint32_t, std::shared_ptr<const BlockKnowledge>> blocks_;
  std::unordered_map<std::uint64_t, Met> met_;
};

/// One per launch that is checked for races. Any thread.
class GridRaces {
 public:
  using Page = RacePage;
  static constexpr std::uint64_t page_bytes = Page::page_bytes;
  /// By the numbers of pages of memory; null where memory is not looked at.
  using Pages = std::unordered_map<std::uint64_t, std::unique_ptr<Page>>;

  GridRaces();
  ~GridRaces();

  /// Of this launch, not 0.
  std::uint16_t generation() const { return generation_; }

  /// The words of an address's page; null where memory is not looked at: a thread's own, or more
  /// than there is room for.
  Page* page(std::uint64_t address);

  void release(std::uint64_t address, const GridKnowledge& knowledge);
  /// A thread releases in global memory to its block alone.
  void set_narrow_release() { narrow_release_.store(true, std::memory_order_relaxed); }
  bool has_narrow_release() const { return narrow_release_.load(std::memory_order_relaxed); }
  /// `in_block`: of threads of the own block, which have an order of their own, only the writes.
  void acquire(std::uint64_t address, GridKnowledge& knowledge, bool in_block);
  /// The access is a write at the address by which its thread releases, to its block or to all.
  void add_release(std::uint64_t address, const GridAccess& write, bool to_block);
  /// Whether a past access is among the first `count` of those, seen from its block or another.
  bool is_release(std::uint64_t address, const GridAccess& past, std::uint64_t count,
                  bool in_block);

 private:
  /// The latest two of a thread: of the last one, others may not know yet that it has been.
  struct Writes {
    struct Write {
      std::uint32_t interval = 0, clock = 0;
      std::uint64_t number = 0;  ///< 0: none
      bool to_block = false;
    };
    std::array<Write, 2> latest;
  };
  struct Release {
    GridKnowledge knowledge;
    std::uint64_t count = 0;                           ///< of the writes
    std::unordered_map<std::uint64_t, Writes> writes;  ///< by block and thread
  };
  static std::uint64_t thread_in_grid(const GridAccess& access) {
    return std::uint64_t{access.block} << 32 | access.thread;
  }
  std::unique_ptr<Page> make_page(std::uint64_t address);

  std::uint16_t generation_ = 0;
  std::uint64_t cycle_ = 0;
  std::uint64_t epoch_ = 0;  ///< of the AddressTable, at the beginning

  static constexpr std::size_t most_pages = 16384;  ///< a GB of histories
  std::shared_mutex mutex_;                         ///< protects `pages_`
  Pages pages_;
  std::size_t made_ = 0;       ///< by this launch
  std::mutex releases_mutex_;  ///< protects `releases_`
  std::unordered_map<std::uint64_t, Release> releases_;
  std::atomic<bool> any_release_{false};
  std::atomic<bool> narrow_release_{false};
};

}  // namespace pycuda::cpu::exec
