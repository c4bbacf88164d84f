// SPDX-License-Identifier: MIT
#include "cpu/api/array_tiles.h"

#include <sys/mman.h>

namespace pycuda::cpu::api {
namespace {

/// The system's page of zeros, again and again.
void* map_zeros(void* place, std::uint64_t bytes, int flags) {
  return mmap(place, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

}  // namespace

std::unique_ptr<ArrayTiles> ArrayTiles::reserve(std::uint64_t bytes) {
  void* const base = map_zeros(nullptr, bytes, 0);
  if (base == MAP_FAILED) return nullptr;
  return std::make_unique<ArrayTiles>(Key{}, static_cast<std::byte*>(base), bytes);
}

ArrayTiles::~ArrayTiles() { munmap(base_, bytes_); }

bool ArrayTiles::map(std::uint64_t begin, std::uint64_t bytes,
                     const exec::PhysicalMemory::Pointer& memory, std::uint64_t offset) {
  const std::lock_guard lock(mutex_);
  std::byte* const place = base_ + begin;
  if (!memory->map(reinterpret_cast<std::uintptr_t>(place), offset, bytes) ||
      mprotect(place, bytes, PROT_READ | PROT_WRITE) != 0)
    return false;
  for (std::uint64_t tile = 0; tile < bytes; tile += tile_bytes) memory_[begin + tile] = memory;
  return true;
}

bool ArrayTiles::unmap(std::uint64_t begin, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (map_zeros(base_ + begin, bytes, MAP_FIXED) == MAP_FAILED) return false;
  memory_.erase(memory_.lower_bound(begin), memory_.lower_bound(begin + bytes));
  return true;
}

}  // namespace pycuda::cpu::api
