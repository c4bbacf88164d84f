// SPDX-License-Identifier: MIT
#include "cpu/exec/texture.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <new>

namespace pycuda::cpu::exec {
namespace {

constexpr std::size_t capacity = std::size_t{1} << 20;
/// A number is used again only after as many others, so that a stale one seldom meets a new
/// texture.
constexpr std::size_t quarantine = 4096;

/// Where a level may begin, counted from its array's first byte.
constexpr std::uint64_t level_alignment = 512;

/// What lies between a level's first byte and the next level's.
std::uint64_t padded_bytes(const TexelMemory& level) {
  const std::uint64_t bytes = level.slice_bytes * level.depth;
  return (bytes + level_alignment - 1) / level_alignment * level_alignment;
}

/// The level that follows: half of each extent, without what remains; layers stay.
TexelMemory next_level(const TexelMemory& level) {
  TexelMemory next = level;
  next.width = std::max(level.width / 2, 1u);
  next.height = std::max(level.height / 2, 1u);
  if (!level.is_layered) next.depth = std::max(level.depth / 2, 1u);
  next.place_rows();
  return next;
}

/// A level, with the first one's base still, and the bytes that lie before it.
struct PlacedLevel {
  TexelMemory texels;
  std::uint64_t offset = 0;
};

PlacedLevel placed_level(const TexelMemory& all, std::uint32_t number) {
  PlacedLevel level{all, 0};
  level.texels.levels = 1;
  for (std::uint32_t i = 0; i < number; ++i) {
    level.offset += padded_bytes(level.texels);
    level.texels = next_level(level.texels);
  }
  return level;
}

struct Slot {
  std::atomic<std::uint64_t> handle;
  Texture texture;
};

}  // namespace

std::uint32_t bytes_of(TexelFormat format) {
  switch (format) {
    case TexelFormat::Unsigned8:
    case TexelFormat::Signed8:
      return 1;
    case TexelFormat::Unsigned16:
    case TexelFormat::Signed16:
    case TexelFormat::Half:
      return 2;
    case TexelFormat::Unsigned32:
    case TexelFormat::Signed32:
    case TexelFormat::Float:
      return 4;
  }
  return 4;
}

TexelMemory TexelMemory::level(std::uint32_t number) const {
  PlacedLevel level = placed_level(*this, number);
  level.texels.base += level.offset;
  return level.texels;
}

std::uint64_t TexelMemory::level_offset(std::uint32_t number) const {
  return placed_level(*this, number).offset;
}

std::uint32_t TexelMemory::first_tail_level() const {
  std::uint32_t number = 0;
  while (number < levels && placed_level(*this, number).texels.width_bytes() >= tile_bytes)
    ++number;
  return number;
}

void TexelMemory::place_rows() {
  row_bytes = width_bytes();
  if (has_tiles && row_bytes >= tile_bytes)
    row_bytes = (row_bytes + tile_bytes - 1) / tile_bytes * tile_bytes;
  slice_bytes = row_bytes * height;
}

std::uint64_t TexelMemory::bytes() const {
  const auto [last, offset] = placed_level(*this, levels - 1);
  return offset + (last.depth - 1) * last.slice_bytes + (last.height - 1) * last.row_bytes +
         std::uint64_t{last.width} * last.texel_bytes();
}

bool Texture::reads_floats() const {
  switch (texels.format) {
    case TexelFormat::Half:
    case TexelFormat::Float:
      return true;
    case TexelFormat::Unsigned32:
    case TexelFormat::Signed32:
      return false;
    default:
      return !read_as_integer;
  }
}

struct TextureTable::State {
  Slot* slots = nullptr;
  std::mutex mutex;  ///< protects what follows, and writing to slots
  std::size_t used = 0;
  std::deque<std::size_t> free;  ///< oldest first
};

TextureTable& TextureTable::instance() {
  static auto& table = *new TextureTable;
  return table;
}

TextureTable::TextureTable() : state_(new State) {
  void* memory = mmap(nullptr, capacity * sizeof(Slot), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  state_->slots = static_cast<Slot*>(memory);  // fresh pages are zero: every slot is empty
}

// A handle is the slot's number plus one, below how often the slot was used before.
std::uint64_t TextureTable::insert(const Texture& texture) {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  std::size_t index = 0;
  std::uint64_t turn = 0;
  if (state.free.size() > quarantine || (state.used == capacity && !state.free.empty())) {
    index = state.free.front();
    state.free.pop_front();
    turn = state.slots[index].handle.load(std::memory_order_relaxed) >> 32;
  } else if (state.used < capacity) {
    index = state.used++;
  } else {
    throw std::bad_alloc();
  }
  Slot& slot = state.slots[index];
  slot.texture = texture;
  const std::uint64_t handle = turn << 32 | (index + 1);
  slot.handle.store(handle, std::memory_order_release);
  return handle;
}

void TextureTable::change(std::uint64_t handle, const Texture& texture) {
  const std::lock_guard lock(state_->mutex);
  if (find(handle) != nullptr) state_->slots[(handle & 0xffffffff) - 1].texture = texture;
}

bool TextureTable::erase(std::uint64_t handle) {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  if (find(handle) == nullptr) return false;
  const std::size_t index = (handle & 0xffffffff) - 1;
  const std::uint64_t next_turn = (handle >> 32) + 1;
  // No handle ends in 32 zeros: nobody finds it.
  state.slots[index].handle.store(next_turn << 32, std::memory_order_release);
  state.free.push_back(index);
  return true;
}

const Texture* TextureTable::find(std::uint64_t handle) const noexcept {
  const std::uint64_t number = handle & 0xffffffff;
  if (number == 0 || number > capacity) return nullptr;
  const Slot& slot = state_->slots[number - 1];
  return slot.handle.load(std::memory_order_acquire) == handle ? &slot.texture : nullptr;
}

}  // namespace pycuda::cpu::exec
