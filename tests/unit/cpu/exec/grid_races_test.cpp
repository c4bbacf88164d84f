// SPDX-License-Identifier: MIT
// Pages of what launches know of global memory, from one launch to the next.
#include "cpu/exec/grid_races.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>

#include "cpu/exec/address_table.h"

namespace {

using namespace pycuda::cpu::exec;

constexpr std::uint64_t page_bytes = GridRaces::page_bytes;

/// Memory that only the table knows of.
class Block {
 public:
  Block(std::uintptr_t begin, std::uint64_t bytes, MemoryKind kind) : begin_(begin) {
    AddressTable::instance().insert({begin, bytes, kind, 0, nullptr, 0});
  }
  ~Block() { AddressTable::instance().remove(begin_); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

 private:
  const std::uintptr_t begin_;
};

constexpr std::uintptr_t base = std::uintptr_t{1} << 46;

TEST_CASE("a launch has the pages of the one before while no memory is freed") {
  const Block block(base, 4 * page_bytes, MemoryKind::Device);
  GridRaces::Page *first = nullptr, *second = nullptr;
  {
    GridRaces races;
    first = races.page(base);
    second = races.page(base + page_bytes);
  }
  GridRaces later;
  CHECK(later.page(base + page_bytes) == second);
  CHECK(later.page(base) == first);
  GridRaces beside;
  CHECK(beside.page(base) != nullptr);
  CHECK(beside.page(base) != first);
}

TEST_CASE("what was looked at is not any longer where other memory takes its place") {
  std::optional<Block> block(std::in_place, base, page_bytes, MemoryKind::Device);
  CHECK(GridRaces().page(base) != nullptr);
  block.reset();
  block.emplace(base, page_bytes, MemoryKind::DeviceHeap);
  CHECK(GridRaces().page(base) == nullptr);
  CHECK(GridRaces().page(base) == nullptr);
  block.reset();
  block.emplace(base, page_bytes, MemoryKind::Device);
  CHECK(GridRaces().page(base) != nullptr);
}

TEST_CASE("of pages with several blocks each launch asks anew") {
  const Block array(base, page_bytes / 2, MemoryKind::Device);
  const Block heap(base + page_bytes / 2, page_bytes / 2, MemoryKind::DeviceHeap);
  CHECK(GridRaces().page(base) != nullptr);
  CHECK(GridRaces().page(base + page_bytes / 2) == nullptr);
  CHECK(GridRaces().page(base) != nullptr);
}

}  // namespace
