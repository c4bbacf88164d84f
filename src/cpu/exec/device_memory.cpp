// SPDX-License-Identifier: MIT
// Three ways to place a block: an own mapping (large), a slot with its own guard page (small), a
// cell of a slab (small, when very many blocks live). Blocks of other processes are mappings.
#include "cpu/exec/device_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cpu/exec/check_settings.h"
#include "cpu/exec/cpu_budget.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/page.h"
#include "cpu/exec/page_migration.h"
#include "cpu/exec/unwritten.h"

namespace pycuda::cpu::exec {
namespace {

constexpr std::uint64_t block_alignment = 256;
constexpr std::uint64_t slot_pages_limit = 64;
constexpr std::uint64_t chunk_bytes = std::uint64_t{1} << 30;
constexpr std::uint64_t cached_dirty_limit = std::uint64_t{64} << 20;
constexpr std::size_t guarded_blocks_limit = 16384;
constexpr std::uint64_t slab_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t cell_limit = 65536;
/// A GPU's context keeps room for code and constants, so that kernels can be loaded when arrays
/// take all the memory that there seems to be.
constexpr std::uint64_t uncounted_variable_limit = 65536;
/// In checked mode a place serves again when so many of its size have been freed after it: until
/// then what uses the freed block faults.
constexpr std::size_t unused_places = 4096;
constexpr std::uint64_t huge_page = std::uint64_t{2} << 20;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

/// Where the system places nothing by itself: it goes down from 128 TiB, programs lie at 85 and
/// above. An index gone wild reaches 16 GiB with 32 bits and 8-byte elements; in the middle of the
/// system's own mappings that would be the heaps of the process.
constexpr std::uint64_t first_place = std::uint64_t{32} << 40;
constexpr std::uint64_t last_place = std::uint64_t{64} << 40;

/// One place after the other, and from the beginning after the last; what is not free, or not to be
/// had on this system, the system replaces by a place of its choice.
void* next_place(std::uint64_t bytes) {
  static std::atomic<std::uint64_t> next{first_place};
  const std::uint64_t step = round_up(bytes, huge_page) + huge_page;
  std::uint64_t place = next.fetch_add(step, std::memory_order_relaxed);
  if (place + step > last_place) {
    next.store(first_place + step, std::memory_order_relaxed);
    place = first_place;
  }
  return reinterpret_cast<void*>(place);  // NOLINT(performance-no-int-to-ptr)
}

std::byte* map(std::uint64_t bytes, int protection) {
  void* memory = mmap(next_place(bytes), bytes, protection,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

/// An own mapping of whole pages and the guard page behind them; null if there is no room.
std::byte* place_pages(std::uint64_t body, std::uint64_t alignment) {
  const std::uint64_t slack = alignment - page_size;
  std::byte* base = map(body + page_size + slack, PROT_READ | PROT_WRITE);
  if (base == nullptr) return nullptr;
  // Trimmed to [body][guard page], with `body` aligned.
  auto* start =
      reinterpret_cast<std::byte*>(round_up(reinterpret_cast<std::uintptr_t>(base), alignment));
  if (start != base) munmap(base, static_cast<std::size_t>(start - base));
  const std::uint64_t tail = slack - static_cast<std::uint64_t>(start - base);
  if (tail != 0) munmap(start + body + page_size, tail);
  mprotect(start + body, page_size, PROT_NONE);
  return start;
}

void ask_for_huge_pages(std::byte* begin, std::uint64_t bytes) {
#ifdef MADV_HUGEPAGE
  if (bytes >= huge_page) madvise(begin, bytes, MADV_HUGEPAGE);
#endif
}

enum class Placement : std::uint8_t { Mapping, Slot, Cell };

struct Block {
  Placement placement{};
  std::byte* base = nullptr;    ///< the mapping, the slot's first page, or the cell
  std::uint64_t bytes = 0;      ///< of the mapping, the slot's usable pages, or the cell
  std::uint64_t accounted = 0;  ///< counted against the device's limit
};

/// The pages of a block that has pages of its own.
std::uint64_t page_bytes(const Block& block) {
  return block.placement == Placement::Mapping ? block.bytes - page_size : block.bytes;
}

struct Slot {
  std::byte* base;
  bool dirty;  ///< may hold old data
};

/// The place freed last, whose data are still in the caches; while memory is checked the one freed
/// first, once more than `waiting` wait. Nothing if a new one is to be made.
template <class Place>
std::optional<Place> take_free(std::deque<Place>& free, std::size_t waiting = 0) {
  const bool checked = is_wanted(Check::Memory);
  if (free.size() <= (checked ? waiting : 0)) return std::nullopt;
  const Place place = checked ? free.front() : free.back();
  checked ? free.pop_front() : free.pop_back();
  return place;
}

/// Whether a program may count on zeros, or the driver itself does.
bool starts_with_zeros(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::Device:
    case MemoryKind::PageLocked:
    case MemoryKind::Managed:
    case MemoryKind::Pool:
    case MemoryKind::ManagedPool:
    case MemoryKind::HostPool:
    case MemoryKind::Graphics:
    case MemoryKind::Array:
      return false;
    default:
      return true;
  }
}

}  // namespace

struct DeviceMemory::State {
  int device = 0;
  std::uint64_t limit = 0;
  std::uint64_t margin = 0;
  std::uint64_t offered = 0;  ///< of the limit, what the machine could give at the start
  mutable std::mutex mutex;   ///< protects all below
  std::uint64_t used = 0;
  std::unordered_map<void*, Block> blocks;
  std::unordered_map<void*, SharedPages> shared;                   ///< by block
  std::vector<std::pair<std::byte*, std::uint64_t>> reservations;  ///< chunks and slabs
  std::byte* chunk_next = nullptr;
  std::uint64_t chunk_left = 0;
  std::array<std::deque<Slot>, slot_pages_limit + 1> free_slots;
  std::uint64_t cached_dirty = 0;
  std::array<std::deque<std::byte*>, 17> free_cells;  ///< by log2 of the cell's size

  std::byte* take_slot(std::uint64_t pages);
  void put_slot(const Block& block);
  void put_shared_slot(const Block& block);
  std::byte* take_cell(std::uint64_t bytes);
  std::byte* place_mapping(std::uint64_t bytes, std::uint64_t alignment, Block& block) const;
};

std::byte* DeviceMemory::State::take_slot(std::uint64_t pages) {
  auto& free = free_slots[pages];
  Slot slot{nullptr, false};
  if (const auto place = take_free(free, unused_places)) {
    slot = *place;
    if (slot.dirty) cached_dirty -= pages * page_size;
  } else {
    const std::uint64_t bytes = (pages + 1) * page_size;
    if (chunk_left < bytes) {
      std::byte* chunk = map(chunk_bytes, PROT_NONE);
      if (chunk == nullptr) return nullptr;
      reservations.emplace_back(chunk, chunk_bytes);
      // The first page stays unused, so that the page before every block is inaccessible.
      chunk_next = chunk + page_size;
      chunk_left = chunk_bytes - page_size;
    }
    slot.base = chunk_next;
    chunk_next += bytes;
    chunk_left -= bytes;
  }
  if (mprotect(slot.base, pages * page_size, PROT_READ | PROT_WRITE) != 0) {
    free.push_back(slot);
    if (slot.dirty) cached_dirty += pages * page_size;
    return nullptr;
  }
  if (slot.dirty) std::memset(slot.base, 0, pages * page_size);
  return slot.base;
}

void DeviceMemory::State::put_slot(const Block& block) {
  // Old contents are dropped only when much is cached: giving pages back and taking them again
  // costs more than clearing them.
  bool dirty = true;
  if (cached_dirty + block.bytes > cached_dirty_limit) {
    dirty = madvise(block.base, block.bytes, MADV_DONTNEED) != 0;
  }
  mprotect(block.base, block.bytes, PROT_NONE);
  if (dirty) cached_dirty += block.bytes;
  free_slots[block.bytes / page_size].push_back({block.base, dirty});
}

void DeviceMemory::State::put_shared_slot(const Block& block) {
  // Pages that others have are left to them. If there is no mapping to be had, the place is lost.
  const void* fresh = mmap(block.base, block.bytes, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (fresh != MAP_FAILED) free_slots[block.bytes / page_size].push_back({block.base, false});
}

std::byte* DeviceMemory::State::take_cell(std::uint64_t bytes) {
  auto& free = free_cells[static_cast<std::size_t>(std::countr_zero(bytes))];
  std::optional<std::byte*> cell = take_free(free);
  if (!cell) {
    std::byte* slab = map(slab_bytes + page_size, PROT_READ | PROT_WRITE);
    if (slab == nullptr) return nullptr;
    mprotect(slab + slab_bytes, page_size, PROT_NONE);
    reservations.emplace_back(slab, slab_bytes + page_size);
    for (std::uint64_t at = slab_bytes - bytes; at != 0; at -= bytes) free.push_back(slab + at);
    cell = slab;
  }
  std::memset(*cell, 0, bytes);
  return *cell;
}

std::byte* DeviceMemory::State::place_mapping(std::uint64_t bytes, std::uint64_t alignment,
                                              Block& block) const {
  const std::uint64_t body = round_up(bytes, page_size);
  const bool huge = body >= huge_page;
  std::byte* const start = place_pages(body, std::max(alignment, huge ? huge_page : page_size));
  if (start == nullptr) return nullptr;
  ask_for_huge_pages(start, body);
  block = {Placement::Mapping, start, body + page_size, body};
  // An alignment above a block's own forbids shifting the block towards its guard page.
  if (alignment > block_alignment || huge) return start;
  return start + (body - round_up(bytes, block_alignment));
}

DeviceMemory::DeviceMemory(int device, std::uint64_t limit_bytes, std::uint64_t margin_bytes)
    : state_(std::make_unique<State>()) {
  state_->device = device;
  state_->limit = limit_bytes;
  state_->margin = margin_bytes;
  state_->offered = std::min(limit_bytes, available_memory_bytes().value_or(limit_bytes));
}

DeviceMemory::~DeviceMemory() {
  for (const auto& [address, block] : state_->blocks) {
    AddressTable::instance().remove(reinterpret_cast<std::uintptr_t>(address));
    if (block.placement == Placement::Mapping) munmap(block.base, block.bytes);
  }
  for (const auto& [base, bytes] : state_->reservations) munmap(base, bytes);
}

void* DeviceMemory::allocate(std::uint64_t bytes, MemoryKind kind, void* owner,
                             std::uint64_t alignment) {
  State& state = *state_;
  if (bytes == 0 || bytes > state.limit || !std::has_single_bit(alignment) ||
      alignment > chunk_bytes) {
    return nullptr;
  }
  alignment = std::max(alignment, block_alignment);
  const std::uint64_t front = round_up(state.margin, alignment);
  const std::uint64_t room = front + bytes + state.margin;
  const std::uint64_t body = round_up(room, page_size);
  // The system promises more than it has; a large request is refused here instead of killed later.
  if (body >= (std::uint64_t{64} << 20)) {
    if (const auto available = available_memory_bytes(); available && body > *available) {
      return nullptr;
    }
  }
  const std::unique_lock lock(state.mutex);
  const bool of_module = kind == MemoryKind::ModuleGlobal || kind == MemoryKind::ModuleConstant;
  const bool counts = !of_module || bytes > uncounted_variable_limit;
  const auto exceeds_limit = [&](std::uint64_t taken) {
    return counts && state.limit - state.used < taken;
  };
  Block block;
  std::byte* memory = nullptr;
  if (room <= cell_limit && alignment <= block_alignment &&
      state.blocks.size() >= guarded_blocks_limit) {
    const std::uint64_t cell = std::bit_ceil(std::max(room, block_alignment));
    block = {Placement::Cell, nullptr, cell, cell};
    if (exceeds_limit(cell)) return nullptr;
    memory = block.base = state.take_cell(cell);
  } else {
    if (exceeds_limit(body)) return nullptr;
    if (body <= slot_pages_limit * page_size && alignment <= page_size) {
      block = {Placement::Slot, state.take_slot(body / page_size), body, body};
      if (block.base == nullptr) return nullptr;
      const std::uint64_t shift =
          alignment > block_alignment ? 0 : body - round_up(room, block_alignment);
      memory = block.base + shift;
    } else {
      memory = state.place_mapping(room, alignment, block);
    }
  }
  if (memory == nullptr) return nullptr;
  memory += front;
  if (!starts_with_zeros(kind)) fill_fresh(memory, bytes);
  if (!counts) block.accounted = 0;
  state.used += block.accounted;
  state.blocks.emplace(memory, block);
  AddressTable::instance().insert(
      {reinterpret_cast<std::uintptr_t>(memory), bytes, kind, state.device, owner, 0});
  return memory;
}

bool DeviceMemory::release(void* memory) {
  State& state = *state_;
  const std::unique_lock lock(state.mutex);
  const auto found = state.blocks.find(memory);
  if (found == state.blocks.end()) return false;
  const Block block = found->second;
  state.blocks.erase(found);
  AddressTable::instance().remove(reinterpret_cast<std::uintptr_t>(memory));
  state.used -= block.accounted;
  const bool was_shared = state.shared.erase(memory) != 0;
  if (was_shared) forget_migration(block.base);
  switch (block.placement) {
    case Placement::Mapping:
      munmap(block.base, block.bytes);
      break;
    case Placement::Slot:
      was_shared ? state.put_shared_slot(block) : state.put_slot(block);
      break;
    case Placement::Cell:
      state.free_cells[static_cast<std::size_t>(std::countr_zero(block.bytes))].push_back(
          block.base);
      break;
  }
  return true;
}

bool DeviceMemory::can_share(void* memory) const {
  const std::unique_lock lock(state_->mutex);
  const auto found = state_->blocks.find(memory);
  return found != state_->blocks.end() && found->second.placement != Placement::Cell;
}

base::Result<PagesName, PagesFailure> DeviceMemory::share(void* memory, std::uint64_t group) {
  using Reason = PagesFailure::Reason;
  State& state = *state_;
  const std::unique_lock lock(state.mutex);
  const auto found = state.blocks.find(memory);
  if (found == state.blocks.end()) return PagesFailure{Reason::Gone, "no block begins there"};
  if (const auto known = state.shared.find(memory); known != state.shared.end())
    return known->second.name();
  const Block& block = found->second;
  if (block.placement == Placement::Cell) {
    return PagesFailure{Reason::NotPermitted,
                        "the block shares its page with others, as small ones do when more than " +
                            std::to_string(guarded_blocks_limit) + " blocks live"};
  }
  const std::uint64_t bytes = page_bytes(block);
  if (const auto available = available_memory_bytes(); available && bytes > *available)
    return PagesFailure{Reason::NoRoom, "there is no room for a second copy of the block"};
  const auto allocation = AddressTable::instance().find(reinterpret_cast<std::uintptr_t>(memory));
  if (!allocation) return PagesFailure{Reason::Gone, "no block begins there"};
  PagesName name;
  name.purpose = memory_pages;
  name.page_bytes = bytes;
  name.offset = static_cast<std::uint64_t>(static_cast<std::byte*>(memory) - block.base);
  name.bytes = allocation->bytes;
  name.group = group;
  auto pages = SharedPages::make(name);
  if (!pages) return pages.error();
  const PageMigration migration(block.base, bytes);
  if (!migration.holds() || !pages->fill(block.base) || pages->map(block.base) == nullptr) {
    mprotect(block.base, bytes, PROT_READ | PROT_WRITE);
    return PagesFailure{Reason::NoRoom, "there is no room for the block's pages in a shared file"};
  }
  ask_for_huge_pages(block.base, bytes);
  return state.shared.emplace(memory, std::move(*pages)).first->second.name();
}

base::Result<void*, PagesFailure> DeviceMemory::open(const PagesName& name, void* owner,
                                                     MemoryKind kind) {
  using Reason = PagesFailure::Reason;
  const auto pages = SharedPages::open(name, memory_pages, kind != MemoryKind::Opened);
  if (!pages) return pages.error();
  State& state = *state_;
  const std::unique_lock lock(state.mutex);
  const std::uint64_t bytes = name.page_bytes;
  std::byte* const base = place_pages(bytes, bytes >= huge_page ? huge_page : page_size);
  if (base == nullptr || pages->map(base) == nullptr) {
    if (base != nullptr) munmap(base, bytes + page_size);
    return PagesFailure{Reason::NoRoom, "there is no room to map another process's memory"};
  }
  ask_for_huge_pages(base, bytes);
  std::byte* const memory = base + name.offset;
  state.blocks.emplace(memory, Block{Placement::Mapping, base, bytes + page_size, 0});
  AddressTable::instance().insert(
      {reinterpret_cast<std::uintptr_t>(memory), name.bytes, kind, state.device, owner, 0});
  return static_cast<void*>(memory);
}

void* DeviceMemory::map_file(int descriptor, std::uint64_t offset, std::uint64_t bytes,
                             void* owner) {
  State& state = *state_;
  const std::uint64_t skipped = offset % page_size;
  const std::uint64_t body = round_up(skipped + bytes, page_size);
  const std::unique_lock lock(state.mutex);
  std::byte* const base = place_pages(body, page_size);
  if (base == nullptr) return nullptr;
  if (mmap(base, body, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor,
           static_cast<off_t>(offset - skipped)) == MAP_FAILED) {
    munmap(base, body + page_size);
    return nullptr;
  }
  std::byte* const memory = base + skipped;
  state.blocks.emplace(memory, Block{Placement::Mapping, base, body + page_size, 0});
  AddressTable::instance().insert({reinterpret_cast<std::uintptr_t>(memory), bytes,
                                   MemoryKind::External, state.device, owner, 0});
  return memory;
}

std::uint64_t DeviceMemory::free_bytes() const {
  const std::unique_lock lock(state_->mutex);
  return state_->offered - std::min(state_->offered, state_->used);
}

std::uint64_t DeviceMemory::total_bytes() const { return state_->limit; }

bool DeviceMemory::count(std::uint64_t bytes) {
  const std::unique_lock lock(state_->mutex);
  if (bytes > state_->limit - state_->used) return false;
  state_->used += bytes;
  return true;
}

void DeviceMemory::count_back(std::uint64_t bytes) {
  const std::unique_lock lock(state_->mutex);
  state_->used -= bytes;
}

}  // namespace pycuda::cpu::exec
