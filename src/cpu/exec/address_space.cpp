// SPDX-License-Identifier: MIT
// Reserved addresses are mappings without access, so that a kernel that strays there faults.
#include "cpu/exec/address_space.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <iterator>
#include <utility>

#include "cpu/exec/page.h"

namespace pycuda::cpu::exec {
namespace {

std::string bytes_text(std::uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

void* pointer(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

/// Where the system places nothing by itself, below device memory: an index gone wild meets nothing
/// of the process's own. What is not free there, the system replaces by a place of its choice.
void* next_place(std::uint64_t bytes) {
  constexpr std::uint64_t first = std::uint64_t{24} << 40, last = std::uint64_t{32} << 40;
  constexpr std::uint64_t gap = std::uint64_t{1} << 30;
  static std::atomic<std::uint64_t> next{first};
  if (bytes > last - first - gap) return nullptr;
  const std::uint64_t step = (bytes + 2 * gap - 1) / gap * gap;
  std::uint64_t place = next.fetch_add(step, std::memory_order_relaxed);
  if (place + step > last) {
    next.store(first + step, std::memory_order_relaxed);
    place = first;
  }
  return pointer(place);
}

/// Nothing is there and nobody else gets it; null when that cannot be had.
void* map_nothing(void* wanted, std::uint64_t bytes, int flags) {
  void* const place =
      mmap(wanted, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  return place == MAP_FAILED ? nullptr : place;
}

std::uintptr_t number(void* place) { return reinterpret_cast<std::uintptr_t>(place); }

int protection(PageAccess access) {
  switch (access) {
    case PageAccess::None:
      return PROT_NONE;
    case PageAccess::Read:
      return PROT_READ;
    case PageAccess::ReadWrite:
      return PROT_READ | PROT_WRITE;
  }
  return PROT_NONE;
}

}  // namespace

PageAccess AddressSpace::Mapping::allowed() const {
  PageAccess most = PageAccess::None;
  for (const auto& [place, given] : access) most = std::max(most, given);
  return most;
}

AddressSpace& AddressSpace::instance() {
  static AddressSpace* const space = new AddressSpace;
  return *space;
}

std::uintptr_t AddressSpace::reserve(std::uint64_t bytes, std::uint64_t alignment,
                                     std::uintptr_t wanted) {
  // A page behind it belongs to nobody, as behind every block of device memory.
  const std::uint64_t body = bytes + page_size;
  const std::uint64_t slack = std::max(alignment, page_size) - page_size;
  if (bytes > (std::uint64_t{1} << 47) || slack > (std::uint64_t{1} << 47)) return 0;
  std::uintptr_t begin = 0;
  if (wanted != 0 && wanted % alignment == 0) {
    void* const place = map_nothing(pointer(wanted), body, 0);
    if (place != nullptr && number(place) == wanted) {
      begin = wanted;
    } else if (place != nullptr) {
      munmap(place, body);
    }
  }
  if (begin == 0) {
    void* const place = map_nothing(next_place(body + slack), body + slack, 0);
    if (place == nullptr) return 0;
    begin = (number(place) + alignment - 1) / alignment * alignment;
    const std::uint64_t before = begin - number(place);
    if (before != 0) munmap(place, before);
    if (slack - before != 0) munmap(pointer(begin + body), slack - before);
  }
  const std::lock_guard lock(mutex_);
  reservations_[begin].bytes = bytes;
  return begin;
}

bool AddressSpace::release(std::uintptr_t begin, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = reservations_.find(begin);
  if (found == reservations_.end() || found->second.bytes != bytes ||
      !found->second.mappings.empty())
    return false;
  munmap(pointer(begin), bytes + page_size);
  reservations_.erase(found);
  return true;
}

AddressSpace::Reservations::const_iterator AddressSpace::holder(std::uintptr_t begin,
                                                                std::uint64_t bytes) const {
  auto found = reservations_.upper_bound(begin);
  if (found == reservations_.begin()) return reservations_.end();
  --found;
  const std::uint64_t offset = begin - found->first;
  const bool holds = offset < found->second.bytes && bytes <= found->second.bytes - offset;
  return holds ? found : reservations_.end();
}

std::vector<std::uintptr_t> AddressSpace::beginnings(const Reservation& reservation,
                                                     std::uintptr_t begin, std::uint64_t bytes) {
  std::vector<std::uintptr_t> found;
  std::uintptr_t next = begin;
  for (auto it = reservation.mappings.find(begin);
       it != reservation.mappings.end() && it->first == next && next < begin + bytes; ++it) {
    found.push_back(next);
    next += it->second.bytes;
  }
  if (next != begin + bytes) found.clear();
  return found;
}

bool AddressSpace::is_free(std::uintptr_t begin, std::uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  const auto range = holder(begin, bytes);
  if (range == reservations_.end()) return false;
  const auto& mappings = range->second.mappings;
  const auto after = mappings.lower_bound(begin + bytes);
  if (after == mappings.begin()) return true;
  const Mapping& before = std::prev(after)->second;
  return before.begin + before.bytes <= begin;
}

bool AddressSpace::map(Mapping mapping, const Allocation& allocation) {
  const std::lock_guard lock(mutex_);
  const auto range = holder(mapping.begin, mapping.bytes);
  if (range == reservations_.end()) return false;
  if (mapping.memory != nullptr &&
      !mapping.memory->map(mapping.begin, mapping.offset, mapping.bytes))
    return false;
  AddressTable::instance().insert(allocation);
  const std::uintptr_t begin = mapping.begin;
  reservations_.at(range->first).mappings.emplace(begin, std::move(mapping));
  return true;
}

std::vector<AddressSpace::Mapping> AddressSpace::mappings(std::uintptr_t begin,
                                                          std::uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  std::vector<Mapping> copies;
  const auto range = holder(begin, bytes);
  if (range == reservations_.end()) return copies;
  for (const std::uintptr_t at : beginnings(range->second, begin, bytes))
    copies.push_back(range->second.mappings.at(at));
  return copies;
}

std::optional<AddressSpace::Mapping> AddressSpace::find(std::uintptr_t address) const {
  const std::lock_guard lock(mutex_);
  const auto range = holder(address, 1);
  if (range == reservations_.end()) return std::nullopt;
  const auto& mappings = range->second.mappings;
  const auto after = mappings.upper_bound(address);
  if (after == mappings.begin()) return std::nullopt;
  const Mapping& before = std::prev(after)->second;
  if (address - before.begin >= before.bytes) return std::nullopt;
  return before;
}

bool AddressSpace::set_access(std::uintptr_t begin, std::uint64_t bytes, std::pair<int, int> place,
                              PageAccess access) {
  const std::lock_guard lock(mutex_);
  const auto range = holder(begin, bytes);
  if (range == reservations_.end()) return false;
  Reservation& reservation = reservations_.at(range->first);
  for (const std::uintptr_t at : beginnings(reservation, begin, bytes)) {
    Mapping& mapping = reservation.mappings.at(at);
    mapping.access[place] = access;
    if (mapping.multicast != nullptr) {
      Multicast::map(at, mapping.bytes, mapping.multicast, mapping.allowed());
      continue;
    }
    if (mprotect(pointer(at), mapping.bytes, protection(mapping.allowed())) != 0) return false;
  }
  return true;
}

bool AddressSpace::unmap(std::uintptr_t begin, std::uint64_t bytes) {
  std::vector<Mapping> removed;  // the memory goes after the lock
  const std::lock_guard lock(mutex_);
  const auto range = holder(begin, bytes);
  if (range == reservations_.end()) return false;
  auto& mappings = reservations_.at(range->first).mappings;
  const std::uintptr_t end = begin + bytes;
  const auto cuts = [&](const Mapping& mapping) {
    const std::uintptr_t last = mapping.begin + mapping.bytes;
    return mapping.begin < end && begin < last && (mapping.begin < begin || last > end);
  };
  if (std::ranges::any_of(mappings, [&](const auto& entry) { return cuts(entry.second); }) ||
      map_nothing(pointer(begin), bytes, MAP_FIXED) == nullptr)
    return false;
  for (auto it = mappings.lower_bound(begin); it != mappings.end() && it->first < end;) {
    AddressTable::instance().remove(it->first);
    if (it->second.multicast != nullptr) Multicast::unmap(it->first);
    removed.push_back(std::move(it->second));
    it = mappings.erase(it);
  }
  return true;
}

std::pair<std::uintptr_t, std::uint64_t> AddressSpace::reservation(std::uintptr_t address) const {
  const std::lock_guard lock(mutex_);
  const auto range = holder(address, 1);
  return range != reservations_.end() ? std::pair(range->first, range->second.bytes)
                                      : std::pair<std::uintptr_t, std::uint64_t>(0, 0);
}

std::string AddressSpace::describe(std::uintptr_t address) const {
  if (const std::optional<Mapping> mapping = find(address)) {
    if (mapping->multicast != nullptr)
      return ", which is a multicast object's: multimem instructions reach it";
    const PageAccess allowed = mapping->allowed();
    if (allowed == PageAccess::ReadWrite) return {};
    return allowed == PageAccess::Read ? ", which may only be read (cuMemSetAccess)"
                                       : ", to which nobody was given access (cuMemSetAccess)";
  }
  const std::lock_guard lock(mutex_);
  const auto range = holder(address, 1);
  if (range == reservations_.end()) return {};
  char begin[24];
  std::snprintf(begin, sizeof begin, "0x%llx", static_cast<unsigned long long>(range->first));
  return bytes_text(address - range->first) + " into the " + bytes_text(range->second.bytes) +
         " of addresses reserved at " + begin + ", where nothing is mapped (cuMemMap)";
}

}  // namespace pycuda::cpu::exec
