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
  void acquire(std::uint64_t address, GridKnowledge& knowledge);

 private:
  std::unique_ptr<Page> make_page(std::uint64_t address);

  std::uint16_t generation_ = 0;
  std::uint64_t cycle_ = 0;
  std::uint64_t epoch_ = 0;  ///< of the AddressTable, at the beginning

  static constexpr std::size_t most_pages = 16384;  ///< a GB of histories
  std::shared_mutex mutex_;                         ///< protects `pages_`
  Pages pages_;
  std::size_t made_ = 0;       ///< by this launch
  std::mutex releases_mutex_;  ///< protects `releases_`
  std::unordered_map<std::uint64_t, GridKnowledge> releases_;
  std::atomic<bool> any_release_{false};
};

}  // namespace pycuda::cpu::exec
