// SPDX-License-Identifier: MIT
#include "cpu/exec/grid_races.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/log.h"
#include "cpu/exec/address_table.h"

namespace pycuda::cpu::exec {
namespace {

/// Whether kernels share memory of this kind. Memory of the device's heap is handed from thread to
/// thread, which no access shows.
bool is_looked_at(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::DeviceHeap:
    case MemoryKind::GridWorkspace:
    case MemoryKind::LaunchParameters:
    case MemoryKind::Texts:
      return false;
    default:
      return true;
  }
}

/// Pages of launches that have ended: making them takes longer than using them.
struct Spare {
  std::mutex mutex;  ///< protects the rest
  std::uint64_t launches = 0;
  std::vector<std::unique_ptr<GridRaces::Page>> pages;
};

Spare& spare() {
  static Spare* const only = new Spare;
  return *only;
}

constexpr std::size_t most_spare = 1024;  // 60 MiB
constexpr std::uint64_t generations = 65535;

}  // namespace

GridRaces::GridRaces() {
  Spare& store = spare();
  const std::lock_guard lock(store.mutex);
  generation_ = static_cast<std::uint16_t>(store.launches % generations + 1);
  cycle_ = store.launches / generations;
  ++store.launches;
}

GridRaces::~GridRaces() {
  Spare& store = spare();
  const std::lock_guard lock(store.mutex);
  for (auto& [number, page] : pages_) {
    if (page != nullptr && store.pages.size() < most_spare) store.pages.push_back(std::move(page));
  }
}

void GridKnowledge::add(std::uint32_t block, std::shared_ptr<const BlockKnowledge> known) {
  auto& own = blocks_[block];
  if (own == nullptr || own->interval < known->interval) {
    own = std::move(known);
    return;
  }
  if (own->interval > known->interval || own == known) return;
  auto both = std::make_shared<BlockKnowledge>(*own);
  if (both->clocks.size() < known->clocks.size()) both->clocks.resize(known->clocks.size(), 0);
  for (std::size_t i = 0; i < known->clocks.size(); ++i)
    both->clocks[i] = std::max(both->clocks[i], known->clocks[i]);
  own = std::move(both);
}

void GridKnowledge::join(const GridKnowledge& other) {
  for (const auto& [block, known] : other.blocks_) add(block, known);
}

bool GridKnowledge::covers(const GridAccess& past) const {
  const auto found = blocks_.find(past.block);
  if (found == blocks_.end()) return false;
  const BlockKnowledge& known = *found->second;
  if (past.interval != known.interval) return past.interval < known.interval;
  return past.thread < known.clocks.size() && known.clocks[past.thread] >= past.clock;
}

GridAccess GridRaces::Page::past_access(Entry entry, std::size_t word) const {
  const std::size_t place = at(entry, word);
  GridAccess past;
  past.interval = intervals_[place];
  past.clock = clocks_[place];
  past.place = places_[place];
  past.thread = static_cast<std::uint16_t>(tags_[place] & ((1u << interval_begin) - 1));
  past.mask = 15;
  past.kind = entry == Written ? PastAccess::Write & 3 : PastAccess::Read & 3;
  past.log_bytes = 2;
  past.block = static_cast<std::uint32_t>(tags_[place] >> block_begin) & (most_blocks - 1);
  return past;
}

void GridRaces::Page::put(Entry entry, std::size_t word, const GridAccess& now, std::uint64_t tag) {
  const std::size_t place = at(entry, word);
  tags_[place] = tag;
  intervals_[place] = now.interval;
  places_[place] = now.place;
  clocks_[place] = now.clock;
}

/// Reads of two blocks are more likely to conflict with something than two of one.
void GridRaces::Page::put_read(std::size_t word, const GridAccess& now, std::uint64_t tag) {
  const auto is_stale = [&](Entry entry) {
    return (tags_[at(entry, word)] ^ tag) >> generation_begin != 0;
  };
  const std::uint64_t first = tags_[at(FirstRead, word)], other = tags_[at(OtherRead, word)];
  constexpr std::uint64_t thread = (std::uint64_t{1} << interval_begin) - 1;
  if (is_stale(FirstRead) || (is_of_block(first, tag) && ((first ^ tag) & thread) == 0)) {
    put(FirstRead, word, now, tag);
  } else if (is_stale(OtherRead) || is_of_block(other, tag) || is_of_block(other, first)) {
    put(OtherRead, word, now, tag);
  }
}

GridRaces::Page::Word& GridRaces::Page::history_of(std::size_t word, std::uint16_t generation) {
  if (histories_ == nullptr) histories_ = std::make_unique<std::array<Word, word_count>>();
  Word& found = (*histories_)[word];
  if (found.generation != generation) found = {generation, {}};
  return found;
}

/// From now on a history has what is known of the word.
void GridRaces::Page::move(std::size_t word, std::uint16_t generation) {
  Word& own = history_of(word, generation);
  for (const Entry entry : {FirstRead, OtherRead, Written}) {
    if (!is_current(entry, word, generation)) continue;
    own.history.add(
        past_access(entry, word), [](const GridAccess&) { return true; },
        [](const GridAccess&) { return false; }, [](const GridAccess&) {});
  }
  tags_[at(Written, word)] = elsewhere | std::uint64_t{generation} << generation_begin;
}

std::unique_ptr<GridRaces::Page> GridRaces::make_page(std::uint64_t address) {
  const auto holder = AddressTable::instance().find(address);
  if (!holder || !is_looked_at(holder->kind)) return nullptr;
  if (made_ >= most_pages) {
    if (made_++ == most_pages)
      base::log(base::LogLevel::Warning,
                "the check for races looks at 64 MiB of the memory that a kernel touches; use "
                "smaller inputs to check all of it");
    return nullptr;
  }
  ++made_;
  std::unique_ptr<Page> page;
  Spare& store = spare();
  {
    const std::lock_guard lock(store.mutex);
    if (!store.pages.empty()) {
      page = std::move(store.pages.back());
      store.pages.pop_back();
    }
  }
  // Histories of another cycle may have the number of this launch.
  if (page == nullptr || page->cycle != cycle_) page = std::make_unique<Page>();
  page->cycle = cycle_;
  return page;
}

GridRaces::Page* GridRaces::page(std::uint64_t address) {
  const std::uint64_t number = address / page_bytes;
  {
    const std::shared_lock lock(mutex_);
    const auto found = pages_.find(number);
    if (found != pages_.end()) return found->second.get();
  }
  const std::unique_lock lock(mutex_);
  const auto [place, is_new] = pages_.try_emplace(number);
  if (is_new) place->second = make_page(address);
  return place->second.get();
}

void GridRaces::release(std::uint64_t address, const GridKnowledge& knowledge) {
  const std::lock_guard lock(releases_mutex_);
  releases_[address].join(knowledge);
  any_release_.store(true, std::memory_order_release);
}

void GridRaces::acquire(std::uint64_t address, GridKnowledge& knowledge) {
  if (!any_release_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(releases_mutex_);
  const auto found = releases_.find(address);
  if (found != releases_.end()) knowledge.join(found->second);
}

}  // namespace pycuda::cpu::exec
