// SPDX-License-Identifier: MIT
// Device memory, the address table and shared arenas.
#include <doctest/doctest.h>

#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "cpu/exec/cpu_budget.h"
#include "cpu/exec/device.h"
#include "cpu/exec/shared_arena.h"

namespace pycuda::cpu::exec {
namespace {

constexpr std::uint64_t MiB = std::uint64_t{1} << 20;

sigjmp_buf escape;

/// Whether reading one byte faults.
bool faults_at(const void* address) {
  struct sigaction ours{}, before_segv{}, before_bus{};
  ours.sa_handler = [](int) { siglongjmp(escape, 1); };
  ours.sa_flags = SA_NODEFER;
  sigaction(SIGSEGV, &ours, &before_segv);
  sigaction(SIGBUS, &ours, &before_bus);
  volatile bool faulted = true;  // changed between setjmp and longjmp
  if (sigsetjmp(escape, 1) == 0) {
    static_cast<void>(*static_cast<const volatile char*>(address));
    faulted = false;
  }
  sigaction(SIGSEGV, &before_segv, nullptr);
  sigaction(SIGBUS, &before_bus, nullptr);
  return faulted;
}

bool all_zero(const void* memory, std::size_t bytes) {
  const auto* at = static_cast<const unsigned char*>(memory);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (at[i] != 0) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a block is aligned, zero-filled, and followed by memory that faults") {
  DeviceMemory memory(0, 512 * MiB);
  for (const std::uint64_t bytes : {1ul, 255ul, 256ul, 4096ul, 5000ul, 300000ul, 5 * MiB + 3}) {
    auto* block = static_cast<char*>(memory.allocate(bytes, MemoryKind::Device, nullptr));
    REQUIRE(block != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(block) % 256 == 0);
    CHECK(all_zero(block, bytes));
    std::memset(block, 0x5a, bytes);
    const std::uint64_t rounded = (bytes + 4095) / 4096 * 4096;
    CHECK(faults_at(block + rounded));
    if (bytes < 4 * MiB) CHECK(faults_at(block + (bytes + 255) / 256 * 256));
    CHECK(memory.release(block));
    CHECK(faults_at(block));
  }
}

TEST_CASE("a margin before and behind each block can be written, and no more") {
  DeviceMemory memory(0, 512 * MiB, 1000);
  for (const std::uint64_t bytes : {4ul, 256ul, 4096ul, 300000ul, 5 * MiB}) {
    for (const std::uint64_t alignment : {256ul, 65536ul}) {
      auto* block =
          static_cast<char*>(memory.allocate(bytes, MemoryKind::Device, nullptr, alignment));
      REQUIRE(block != nullptr);
      CHECK(reinterpret_cast<std::uintptr_t>(block) % alignment == 0);
      std::memset(block - 1000, 0x5a, bytes + 2000);
      CHECK(faults_at(block + (bytes + 1000 + 4095) / 4096 * 4096));
      CHECK(memory.release(block));
      CHECK(faults_at(block));
    }
  }
  CHECK(memory.free_bytes() == 512 * MiB);
}

TEST_CASE("memory that is used again is zero-filled again") {
  DeviceMemory memory(0, 512 * MiB);
  for (int round = 0; round < 50; ++round) {
    void* block = memory.allocate(10000, MemoryKind::Device, nullptr);
    REQUIRE(all_zero(block, 10000));
    std::memset(block, 0xff, 10000);
    memory.release(block);
  }
}

TEST_CASE("free and total memory are exact, and the limit holds") {
  DeviceMemory memory(0, 10 * MiB);
  CHECK(memory.total_bytes() == 10 * MiB);
  CHECK(memory.free_bytes() == 10 * MiB);
  void* first = memory.allocate(4 * MiB, MemoryKind::Device, nullptr);
  void* second = memory.allocate(6 * MiB, MemoryKind::Device, nullptr);
  CHECK(first != nullptr);
  CHECK(second != nullptr);
  CHECK(memory.free_bytes() == 0);
  CHECK(memory.allocate(1, MemoryKind::Device, nullptr) == nullptr);
  CHECK(memory.release(first));
  CHECK(memory.free_bytes() == 4 * MiB);
  CHECK(memory.release(second));
  CHECK(memory.free_bytes() == 10 * MiB);
}

TEST_CASE("free memory is no more than the machine can give") {
  DeviceMemory memory(0, std::uint64_t{1} << 60);
  const std::uint64_t free = memory.free_bytes();
  CHECK(memory.total_bytes() == std::uint64_t{1} << 60);
  CHECK(free <= machine_memory_bytes());
  void* block = memory.allocate(4 * MiB, MemoryKind::Device, nullptr);
  REQUIRE(block != nullptr);
  CHECK(memory.free_bytes() == free - 4 * MiB);
}

TEST_CASE("impossible requests give null, wrong releases give false") {
  DeviceMemory memory(0, 10 * MiB);
  CHECK(memory.allocate(0, MemoryKind::Device, nullptr) == nullptr);
  CHECK(memory.allocate(~std::uint64_t{0}, MemoryKind::Device, nullptr) == nullptr);
  CHECK(memory.allocate(~std::uint64_t{0} - 4095, MemoryKind::Device, nullptr) == nullptr);
  CHECK(memory.allocate(100, MemoryKind::Device, nullptr, 3) == nullptr);
  int other = 0;
  CHECK_FALSE(memory.release(&other));
  CHECK_FALSE(memory.release(nullptr));
  auto* block = static_cast<char*>(memory.allocate(100, MemoryKind::Device, nullptr));
  CHECK_FALSE(memory.release(block + 1));
  CHECK(memory.release(block));
  CHECK_FALSE(memory.release(block));
}

TEST_CASE("a larger alignment is kept") {
  DeviceMemory memory(0, 512 * MiB);
  for (const std::uint64_t alignment : {512ul, 4096ul, 65536ul, 2 * MiB}) {
    for (const std::uint64_t bytes : {100ul, 70000ul, 3 * MiB}) {
      void* block = memory.allocate(bytes, MemoryKind::Pool, nullptr, alignment);
      REQUIRE(block != nullptr);
      CHECK(reinterpret_cast<std::uintptr_t>(block) % alignment == 0);
      CHECK(memory.release(block));
    }
  }
}

TEST_CASE("forty thousand small blocks fit, are distinct and come back") {
  DeviceMemory memory(0, 4096 * MiB);
  const std::uint64_t free = memory.free_bytes();  // fewer than all where the machine has fewer
  std::vector<int*> blocks;
  for (int i = 0; i < 40000; ++i) {
    auto* block = static_cast<int*>(memory.allocate(1000, MemoryKind::Device, nullptr));
    REQUIRE(block != nullptr);
    *block = i;
    blocks.push_back(block);
  }
  bool intact = true;
  for (int i = 0; i < 40000; ++i) intact = intact && *blocks[i] == i;
  CHECK(intact);
  for (int* block : blocks) REQUIRE(memory.release(block));
  CHECK(memory.free_bytes() == free);
}

TEST_CASE("random allocations and releases never overlap") {
  DeviceMemory memory(0, 1024 * MiB);
  const std::uint64_t free = memory.free_bytes();
  std::mt19937 random(7);
  std::vector<std::pair<unsigned char*, std::size_t>> live;
  for (int step = 0; step < 3000; ++step) {
    if (live.size() < 50 || random() % 2 == 0) {
      const std::size_t bytes = 1 + (random() % (random() % 8 == 0 ? 1000000 : 9000));
      auto* block =
          static_cast<unsigned char*>(memory.allocate(bytes, MemoryKind::Device, nullptr));
      if (block == nullptr) continue;
      std::memset(block, static_cast<int>(live.size() % 251 + 1), bytes);
      block[0] = block[bytes - 1] = static_cast<unsigned char>(step % 251);
      live.emplace_back(block, bytes);
    } else {
      std::swap(live[random() % live.size()], live.back());
      const auto [block, bytes] = live.back();
      REQUIRE(block[0] == block[bytes - 1]);
      REQUIRE(memory.release(block));
      live.pop_back();
    }
  }
  for (const auto& [block, bytes] : live) memory.release(block);
  CHECK(memory.free_bytes() == free);
}

TEST_CASE("the address table finds by any address inside, and the nearest for others") {
  AddressTable& table = AddressTable::instance();
  DeviceMemory memory(3, 64 * MiB);
  int owner = 0;
  const auto begin =
      reinterpret_cast<std::uintptr_t>(memory.allocate(1000, MemoryKind::Managed, &owner));
  const auto found = table.find(begin + 999);
  REQUIRE(found.has_value());
  CHECK(found->begin == begin);
  CHECK(found->bytes == 1000);
  CHECK(found->kind == MemoryKind::Managed);
  CHECK(found->device == 3);
  CHECK(found->owner == &owner);
  CHECK(found->id != 0);
  CHECK_FALSE(table.find(begin + 1000).has_value());
  CHECK_FALSE(table.find(begin - 1).has_value());
  CHECK(table.nearest(begin + 1004)->begin == begin);
  CHECK(table.nearest(begin - 4)->begin == begin);
  const auto epoch = table.epoch();
  memory.release(reinterpret_cast<void*>(begin));
  CHECK(table.epoch() != epoch);
  CHECK_FALSE(table.find(begin).has_value());
  CHECK(table.removed(begin + 500)->id == found->id);
}

TEST_CASE("a shared window is usable to its size and faults anywhere beyond") {
  const auto arena = SharedArena::create();
  REQUIRE(arena != nullptr);
  REQUIRE(arena->prepare(5000));
  CHECK(arena->own() - arena->window() == reserved_shared_bytes);
  arena->own()[4999] = std::byte{1};
  CHECK(faults_at(arena->own() + 8192));
  CHECK(faults_at(arena->window() + 0xffffffffu));
  REQUIRE(arena->prepare(227 * 1024));
  CHECK(arena->own()[4999] == std::byte{1});
  CHECK_FALSE(faults_at(arena->own() + 227 * 1024 - 1));
  CHECK_FALSE(arena->prepare(std::uint64_t{1} << 40));
}

TEST_CASE("a block without shared memory of its own faults at the first byte") {
  const auto arena = SharedArena::create();
  REQUIRE(arena != nullptr);
  REQUIRE(arena->prepare(0));
  CHECK(faults_at(arena->own()));
  REQUIRE(arena->prepare(1));
  CHECK_FALSE(faults_at(arena->own()));
}

TEST_CASE("the system's part of a shared window is there, and nothing before it") {
  const auto arena = SharedArena::create();
  REQUIRE(arena != nullptr);
  REQUIRE(arena->prepare_with_system(0));
  for (const std::byte* at = arena->window(); at != arena->own(); ++at) CHECK(*at == std::byte{0});
  CHECK(faults_at(arena->window() - 1));
  CHECK(faults_at(arena->window() - SharedArena::guard_bytes));
}

}  // namespace pycuda::cpu::exec
