// SPDX-License-Identifier: MIT
// The memory of sparse arrays, and of arrays that get theirs later: addresses that are reserved,
// under which cuMemMapArrayAsync puts memory tile by tile. What has none is read as zeros, and
// writing there is a fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "cpu/exec/physical_memory.h"
#include "cpu/exec/texture.h"

namespace pycuda::cpu::api {

class ArrayTiles {
  struct Key {};

 public:
  /// Of a tile; as a GPU's.
  static constexpr std::uint64_t tile_bytes = exec::TexelMemory::tile_bytes;
  static std::uint64_t whole_tiles(std::uint64_t bytes) {
    return (bytes + tile_bytes - 1) / tile_bytes * tile_bytes;
  }

  /// Null where the system has no room for so many addresses.
  static std::unique_ptr<ArrayTiles> reserve(std::uint64_t bytes);
  ArrayTiles(Key, std::byte* base, std::uint64_t bytes) : base_(base), bytes_(bytes) {}
  ~ArrayTiles();
  ArrayTiles(const ArrayTiles&) = delete;
  ArrayTiles& operator=(const ArrayTiles&) = delete;

  std::byte* base() const { return base_; }
  std::uint64_t bytes() const { return bytes_; }

  /// Whole tiles from `begin` on, and memory from `offset` on. False when the system refuses.
  bool map(std::uint64_t begin, std::uint64_t bytes, const exec::PhysicalMemory::Pointer& memory,
           std::uint64_t offset);
  bool unmap(std::uint64_t begin, std::uint64_t bytes);

 private:
  std::byte* base_;
  std::uint64_t bytes_;
  std::mutex mutex_;                                               ///< protects `memory_`
  std::map<std::uint64_t, exec::PhysicalMemory::Pointer> memory_;  ///< of each tile that has some
};

}  // namespace pycuda::cpu::api
