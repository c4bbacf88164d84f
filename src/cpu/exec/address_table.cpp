// SPDX-License-Identifier: MIT
// An ordered map under a reader-writer lock, and a short memory of what was removed.
#include "cpu/exec/address_table.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "cpu/exec/stream_races.h"

namespace pycuda::cpu::exec {
namespace {

struct Entry {
  Allocation allocation;
  const std::uint64_t* use = nullptr;  ///< changed by whoever watches, at any time

  Allocation now() const {
    Allocation copy = allocation;
    if (use == nullptr) return copy;
    const std::uint64_t used = __atomic_load_n(use, __ATOMIC_RELAXED);
    copy.pooled = (used & AddressTable::pooled_block) != 0;
    copy.used_bytes = std::min(used & ~AddressTable::pooled_block, copy.bytes);
    return copy;
  }
};

}  // namespace

struct AddressTable::State {
  mutable std::shared_mutex mutex;  ///< protects `live`, `gone` and `gone_next`
  std::map<std::uintptr_t, Entry> live;
  std::array<Allocation, 1024> gone{};
  std::size_t gone_next = 0;
  std::uint64_t next_id = 1;
  std::atomic<std::uint64_t> epoch{1};
};

AddressTable::AddressTable() : state_(std::make_unique<State>()) {}

AddressTable& AddressTable::instance() {
  // Never destroyed: memory is released by destructors of other static objects too.
  static AddressTable* const table = new AddressTable;
  return *table;
}

void AddressTable::insert(const Allocation& allocation) {
  // What was done to other memory at these addresses is over.
  if (keeps_work_order()) StreamRaces::instance().forget(allocation.begin, allocation.bytes);
  const std::unique_lock lock(state_->mutex);
  Allocation entry = allocation;
  if (entry.id == 0) entry.id = state_->next_id++;
  entry.used_bytes = entry.bytes;
  state_->live.insert_or_assign(entry.begin, Entry{entry});
}

std::optional<Allocation> AddressTable::remove(std::uintptr_t begin) {
  const std::unique_lock lock(state_->mutex);
  const auto found = state_->live.find(begin);
  if (found == state_->live.end()) return std::nullopt;
  const Allocation allocation = found->second.now();
  state_->live.erase(found);
  state_->gone[state_->gone_next++ % state_->gone.size()] = allocation;
  state_->epoch.fetch_add(1, std::memory_order_release);
  return allocation;
}

bool AddressTable::watch_use(std::uintptr_t begin, const std::uint64_t* bytes) {
  const std::unique_lock lock(state_->mutex);
  const auto found = state_->live.find(begin);
  if (found == state_->live.end()) return false;
  Entry& entry = found->second;
  if (bytes == nullptr) entry.allocation = entry.now();
  entry.use = bytes;
  return true;
}

std::vector<Allocation> AddressTable::all() const {
  const std::shared_lock lock(state_->mutex);
  std::vector<Allocation> found;
  found.reserve(state_->live.size());
  for (const auto& [begin, entry] : state_->live) found.push_back(entry.now());
  return found;
}

std::optional<Allocation> AddressTable::find(std::uintptr_t address) const {
  const std::shared_lock lock(state_->mutex);
  auto after = state_->live.upper_bound(address);
  if (after == state_->live.begin()) return std::nullopt;
  const Entry& candidate = (--after)->second;
  if (address - candidate.allocation.begin >= candidate.allocation.bytes) return std::nullopt;
  return candidate.now();
}

namespace {

/// How far `address` is from the allocation's bytes.
std::uint64_t distance(const Allocation& allocation, std::uintptr_t address) {
  if (address < allocation.begin) return allocation.begin - address;
  const std::uint64_t offset = address - allocation.begin;
  return offset < allocation.bytes ? 0 : offset - allocation.bytes;
}

/// An index that leads further from a variable of a module, or from a launch's parameters, than
/// these are long is hardly one into them, and none is one into what is the executor's own.
bool is_meant(const Allocation& allocation, std::uintptr_t address) {
  switch (allocation.kind) {
    case MemoryKind::GridWorkspace:
    case MemoryKind::Texts:
      return false;
    case MemoryKind::LaunchParameters:
    case MemoryKind::ModuleGlobal:
    case MemoryKind::ModuleConstant:
      return distance(allocation, address) <= allocation.bytes;
    default:
      return true;
  }
}

}  // namespace

std::optional<Allocation> AddressTable::nearest(std::uintptr_t address) const {
  const std::shared_lock lock(state_->mutex);
  const auto middle = state_->live.upper_bound(address);
  std::optional<Allocation> best;
  for (auto after = middle; after != state_->live.end() && !best; ++after) {
    if (is_meant(after->second.allocation, address)) best = after->second.now();
  }
  for (auto before = middle; before != state_->live.begin();) {
    const Allocation& candidate = (--before)->second.allocation;
    if (!is_meant(candidate, address)) continue;
    if (!best || distance(candidate, address) <= distance(*best, address))
      best = before->second.now();
    break;
  }
  return best;
}

std::optional<Allocation> AddressTable::removed(std::uintptr_t address) const {
  const std::shared_lock lock(state_->mutex);
  const auto is_taken = [&](const Allocation& gone) {
    const std::uintptr_t end = gone.begin + gone.bytes;
    for (auto after = state_->live.lower_bound(end); after != state_->live.begin();) {
      const Allocation& live = (--after)->second.allocation;
      if (live.begin + live.bytes <= gone.begin) return false;
      if (is_meant(live, address)) return true;
    }
    return false;
  };
  const std::size_t size = state_->gone.size();
  for (std::size_t age = 1; age <= size && age <= state_->gone_next; ++age) {
    const Allocation& candidate = state_->gone[(state_->gone_next - age) % size];
    if (address >= candidate.begin && address - candidate.begin < candidate.bytes) {
      if (is_taken(candidate)) return std::nullopt;
      return candidate;
    }
  }
  return std::nullopt;
}

std::uint64_t AddressTable::epoch() const { return state_->epoch.load(std::memory_order_acquire); }

const char* kind_name(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::Device:
      return "device memory";
    case MemoryKind::PageLocked:
      return "page-locked host memory";
    case MemoryKind::Registered:
      return "registered host memory";
    case MemoryKind::Managed:
      return "managed memory";
    case MemoryKind::ModuleGlobal:
    case MemoryKind::ModuleConstant:
      return "a module's variable";
    case MemoryKind::Pool:
      return "pool memory";
    case MemoryKind::ManagedPool:
      return "managed pool memory";
    case MemoryKind::HostPool:
      return "page-locked pool memory";
    case MemoryKind::Mapped:
      return "mapped device memory";
    case MemoryKind::MappedHost:
      return "mapped host memory";
    case MemoryKind::Opened:
      return "another process's memory";
    case MemoryKind::External:
      return "another library's memory";
    case MemoryKind::DeviceHeap:
      return "the device heap";
    case MemoryKind::Graphics:
      return "a graphics resource's memory";
    case MemoryKind::Array:
      return "an array's memory";
    case MemoryKind::GridWorkspace:
      return "a grid's workspace";
    case MemoryKind::LaunchParameters:
      return "a launch's parameters";
    case MemoryKind::Texts:
      return "the names of errors";
  }
  return "memory";
}

}  // namespace pycuda::cpu::exec
