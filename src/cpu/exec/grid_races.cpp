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
  /// Those of one launch as they were, for one that uses the same memory; none has been freed since
  /// that of this epoch.
  GridRaces::Pages kept;
  std::uint64_t kept_epoch = 0, kept_cycle = 0;

  void take_apart(GridRaces::Pages&& all) {
    for (auto& [number, page] : all) {
      if (page != nullptr && pages.size() < most_pages) pages.push_back(std::move(page));
    }
    all.clear();
  }
  static constexpr std::size_t most_pages = 1024;  // 60 MiB
};

Spare& spare() {
  static Spare* const only = new Spare;
  return *only;
}

constexpr std::uint64_t generations = 65535;

}  // namespace

GridRaces::GridRaces() {
  Spare& store = spare();
  const std::lock_guard lock(store.mutex);
  generation_ = static_cast<std::uint16_t>(store.launches % generations + 1);
  cycle_ = store.launches / generations;
  ++store.launches;
  epoch_ = AddressTable::instance().epoch();
  if (store.kept_epoch == epoch_ && store.kept_cycle == cycle_) {
    pages_ = std::exchange(store.kept, {});
  } else {
    store.take_apart(std::exchange(store.kept, {}));
  }
}

GridRaces::~GridRaces() {
  Spare& store = spare();
  const std::lock_guard lock(store.mutex);
  if (!store.kept.empty() || pages_.size() > Spare::most_pages ||
      AddressTable::instance().epoch() != epoch_) {
    store.take_apart(std::move(pages_));
    return;
  }
  std::erase_if(pages_, [](const auto& entry) {
    return entry.second == nullptr || !entry.second->is_of_one_allocation;
  });
  store.kept = std::move(pages_);
  store.kept_epoch = epoch_;
  store.kept_cycle = cycle_;
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
  for (const auto& [address, met] : other.met_) meet(address, met);
}

void GridKnowledge::meet(std::uint64_t address, const Met& met) {
  Met& own = met_[address];
  own = {std::max(own.count, met.count), std::max(own.in_block, met.in_block)};
}

GridKnowledge::Met GridKnowledge::find_met(std::uint64_t address) const {
  if (met_.empty()) return {};
  const auto found = met_.find(address);
  return found == met_.end() ? Met{} : found->second;
}

void GridKnowledge::forget_within() {
  for (auto& [address, met] : met_) met.in_block = 0;
}

bool GridKnowledge::covers(const GridAccess& past) const {
  const auto found = blocks_.find(past.block);
  if (found == blocks_.end()) return false;
  const BlockKnowledge& known = *found->second;
  if (past.interval != known.interval) return past.interval < known.interval;
  return past.thread < known.clocks.size() && known.clocks[past.thread] >= past.clock;
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
  const std::uint64_t begin = address / page_bytes * page_bytes;
  page->is_of_one_allocation = begin >= holder->begin && holder->bytes >= page_bytes &&
                               begin - holder->begin <= holder->bytes - page_bytes;
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
  releases_[address].knowledge.join(knowledge);
  any_release_.store(true, std::memory_order_release);
}

void GridRaces::acquire(std::uint64_t address, GridKnowledge& knowledge, bool in_block) {
  if (!any_release_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(releases_mutex_);
  const auto found = releases_.find(address);
  if (found == releases_.end()) return;
  if (!in_block) knowledge.join(found->second.knowledge);
  const std::uint64_t count = found->second.count;
  knowledge.meet(address, {in_block ? 0 : count, count});
}

void GridRaces::add_release(std::uint64_t address, const GridAccess& write, bool to_block) {
  const std::lock_guard lock(releases_mutex_);
  Release& release = releases_[address];
  auto& latest = release.writes[thread_in_grid(write)].latest;
  latest[1] = latest[0];
  latest[0] = {write.interval, write.clock, ++release.count, to_block};
  any_release_.store(true, std::memory_order_release);
}

bool GridRaces::is_release(std::uint64_t address, const GridAccess& past, std::uint64_t count,
                           bool in_block) {
  const std::lock_guard lock(releases_mutex_);
  const auto found = releases_.find(address);
  if (found == releases_.end()) return false;
  const auto writes = found->second.writes.find(thread_in_grid(past));
  if (writes == found->second.writes.end()) return false;
  const auto& latest = writes->second.latest;
  return std::any_of(latest.begin(), latest.end(), [&](const Writes::Write& write) {
    return write.number != 0 && write.number <= count && write.interval == past.interval &&
           write.clock == past.clock && (in_block || !write.to_block);
  });
}

}  // namespace pycuda::cpu::exec
