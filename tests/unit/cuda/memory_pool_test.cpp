// SPDX-License-Identifier: MIT
#include "cuda/memory_pool.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <thread>
#include <vector>

#include "unit/fake/fake_driver.h"

using namespace pycuda::cuda;
using pycuda::driver::DriverError;
using pycuda::driver::DriverTable;
using pycuda::testing::CurrentContext;
using pycuda::testing::fake;
using pycuda::testing::fake_driver;

TEST_CASE("requests are rounded up to bins of four mantissa bits") {
  const auto granted = [](std::size_t bytes) { return bin_bytes(bin_number(bytes)); };
  CHECK(granted(0) == 1);
  CHECK(granted(1) == 1);
  CHECK(granted(1000) == 1023);
  CHECK(granted(1024) == 1087);
  CHECK(granted(1048576) == 1114111);
}

TEST_CASE("a bin serves its requests, and wastes at most a sixteenth") {
  std::size_t before = 0;
  for (std::size_t bytes = 1; bytes < 200000; bytes += 1 + bytes / 50) {
    const std::size_t granted = bin_bytes(bin_number(bytes));
    CHECK(granted >= bytes);
    CHECK(granted - bytes <= bytes / 16);
    CHECK(granted >= before);
    CHECK(bin_number(granted) == bin_number(bytes));
    before = granted;
  }
  CHECK(bin_bytes(bin_number(~std::size_t{0})) == ~std::size_t{0});
  CHECK_THROWS_AS(bin_bytes(64 * 16), std::overflow_error);
}

TEST_CASE("a freed block is held and handed out again, last in first out") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  const auto pool = std::make_shared<DeviceMemoryPool>();
  const std::size_t before = live_device_bytes();
  PooledDeviceMemory first = pool->allocate(1000);
  PooledDeviceMemory second = pool->allocate(1010);
  CHECK(live_device_bytes() == before + 2010);
  const CUdeviceptr second_address = second.pointer();
  CHECK(pool->active_blocks() == 2);
  CHECK(pool->active_bytes() == 2010);
  CHECK(pool->managed_bytes() == 2046);
  first.free();
  second.free();
  CHECK(pool->held_blocks() == 2);
  CHECK(pool->active_bytes() == 0);
  CHECK(pool->managed_bytes() == 2046);
  const PooledDeviceMemory third = pool->allocate(992);
  CHECK(third.pointer() == second_address);
  CHECK(third.bytes() == 992);
  CHECK(pool->held_blocks() == 1);
  CHECK(live_device_bytes() == before + 1000 + 992);
}

TEST_CASE("held blocks go back to the driver when asked to") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  const auto pool = std::make_shared<DeviceMemoryPool>();
  {
    const PooledDeviceMemory block = pool->allocate(100);
  }
  CHECK(fake().resources.size() == 1);
  pool->free_held();
  CHECK(fake().resources.empty());
  CHECK(pool->managed_bytes() == 0);
  PooledDeviceMemory block = pool->allocate(100);
  pool->stop_holding();
  CHECK(pool->active_blocks() == 1);
  block.free();
  CHECK(fake().resources.empty());
  CHECK(pool->managed_bytes() == 0);
}

TEST_CASE("what was asked once decides whether a freed block is kept") {
  static int answer;
  answer = 0;
  DriverTable driver = fake_driver();
  driver.is_checked = [](int* checked) {
    *checked = answer;
    return CUDA_SUCCESS;
  };
  const CurrentContext context(driver);
  const auto pool = std::make_shared<DeviceMemoryPool>();
  PooledDeviceMemory kept = pool->allocate(100);
  PooledDeviceMemory freed = pool->allocate(100);
  const bool is_checked = checks_accesses(kept.context()->driver());
  answer = 1;
  kept.give_back(is_checked);
  CHECK(kept.pointer() == 0);
  CHECK(pool->held_blocks() == 1);
  freed.free();
  CHECK(pool->held_blocks() == 1);
  CHECK(fake().resources.size() == 1);
}

TEST_CASE("a pool that keeps and hands out a block asks for checks once for each") {
  static int questions;
  DriverTable driver = fake_driver();
  driver.is_checked = [](int* checked) {
    ++questions;
    *checked = 0;
    return CUDA_SUCCESS;
  };
  const CurrentContext context(driver);
  const auto pool = std::make_shared<DeviceMemoryPool>();
  const auto first = std::make_shared<PooledDeviceMemory>(pool->allocate(100));
  pool->allocate(100).free();
  first->free();
  questions = 0;
  PooledDeviceMemory again = pool->allocate(100);
  CHECK(questions == 1);
  again.free();
  CHECK(questions == 2);
}

TEST_CASE("a pool short of memory gives back what it holds, largest first") {
  const DriverTable driver = fake_driver();
  fake().memory_bytes = 6000;
  const CurrentContext context(driver);
  const auto pool = std::make_shared<DeviceMemoryPool>();
  {
    const PooledDeviceMemory small = pool->allocate(1000);
    const PooledDeviceMemory large = pool->allocate(4000);
  }
  CHECK(pool->held_blocks() == 2);
  const PooledDeviceMemory block = pool->allocate(2000);
  CHECK(pool->held_blocks() == 1);
  CHECK(fake().allocated_bytes == 1023 + 2047);
}

TEST_CASE("where a whole bin does not fit, a block of what is asked for may") {
  const DriverTable driver = fake_driver();
  fake().memory_bytes = 1005;
  const CurrentContext context(driver);
  const auto pool = std::make_shared<DeviceMemoryPool>();
  CHECK_THROWS_AS(pool->allocate(1006), DriverError);
  {
    const PooledDeviceMemory block = pool->allocate(1000);
    CHECK(fake().allocated_bytes == 1000);
  }
  CHECK(pool->held_blocks() == 1);
  CHECK(pool->managed_bytes() == 1000);
  {
    // It may only serve what it is long enough for.
    const PooledDeviceMemory lower = pool->allocate(991);
    CHECK(fake().allocated_bytes == 1000);
  }
  const PooledDeviceMemory block = pool->allocate(1001);
  CHECK(fake().allocated_bytes == 1001);
  CHECK(pool->held_blocks() == 0);
}

TEST_CASE("a pool that cannot help says so") {
  const DriverTable driver = fake_driver();
  fake().memory_bytes = 100;
  const CurrentContext context(driver);
  const auto pool = std::make_shared<DeviceMemoryPool>();
  CHECK_THROWS_WITH_AS(pool->allocate(1000),
                       "memory_pool::allocate failed: out of memory - failed to free memory for "
                       "allocation of 1000 bytes",
                       DriverError);
  CHECK(pool->active_blocks() == 0);
  CHECK(pool->managed_bytes() == 0);
}

TEST_CASE("the pressure hook runs once for each allocation that fails") {
  const DriverTable driver = fake_driver();
  fake().memory_bytes = 10000;
  const CurrentContext context(driver);
  const auto pool = std::make_shared<DeviceMemoryPool>();
  {
    std::vector<PooledDeviceMemory> blocks;
    for (int i = 0; i < 8; ++i) blocks.push_back(pool->allocate(1000));
  }
  static int calls;
  calls = 0;
  set_memory_pressure_hook([]() noexcept { ++calls; });
  {
    const PooledDeviceMemory block = pool->allocate(9000);
  }
  set_memory_pressure_hook(nullptr);
  CHECK(calls == 1);
}

TEST_CASE("an error other than lack of memory passes through") {
  DriverTable driver = fake_driver();
  driver.cuMemAlloc.bind([](CUdeviceptr*, std::size_t) { return CUDA_ERROR_ILLEGAL_ADDRESS; });
  const CurrentContext context(driver);
  const auto pool = std::make_shared<DeviceMemoryPool>();
  CHECK_THROWS_AS(pool->allocate(1), DriverError);
}

TEST_CASE("a block outlives its owner's name for the pool") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  auto pool = std::make_shared<DeviceMemoryPool>();
  std::optional<PooledDeviceMemory> block(pool->allocate(10));
  pool.reset();
  CHECK(fake().resources.size() == 1);
  block.reset();
  CHECK(fake().resources.empty());
}

TEST_CASE("a block freed twice is an error the second time") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  PooledDeviceMemory block = std::make_shared<DeviceMemoryPool>()->allocate(10);
  block.free();
  CHECK_THROWS_WITH_AS(block.free(),
                       "pooled_device_allocation::free failed: invalid resource handle - it has "
                       "been released before",
                       DriverError);
}

TEST_CASE("moved blocks go back once") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  const auto pool = std::make_shared<DeviceMemoryPool>();
  {
    PooledDeviceMemory first = pool->allocate(10);
    PooledDeviceMemory second = pool->allocate(5000);
    second = std::move(first);
    CHECK(pool->held_blocks() == 1);
  }
  CHECK(pool->held_blocks() == 2);
  CHECK(pool->active_blocks() == 0);
}

TEST_CASE("device memory is handed out again in its context only, page-locked memory in all") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  const auto pool = std::make_shared<DeviceMemoryPool>();
  const auto host_pool = std::make_shared<PageLockedMemoryPool>();
  const CUdeviceptr first = pool->allocate(100).pointer();
  const void* const host = host_pool->allocate(100).pointer();
  {
    const CurrentContext other(driver);
    const PooledDeviceMemory second = pool->allocate(100);
    CHECK(second.pointer() != first);
    CHECK(second.context() == require_context());
    CHECK(pool->held_blocks() == 1);
    CHECK(host_pool->allocate(100).pointer() == host);
  }
  CHECK(pool->allocate(100).pointer() == first);
}

TEST_CASE("page-locked pools keep their flags") {
  DriverTable driver = fake_driver();
  static unsigned int seen;
  driver.cuMemHostAlloc.bind([](void** pointer, std::size_t, unsigned int flags) {
    seen = flags;
    *pointer = nullptr;
    return CUDA_ERROR_INVALID_VALUE;
  });
  const CurrentContext context(driver);
  const auto pool =
      std::make_shared<PageLockedMemoryPool>(PageLockedBlocks{CU_MEMHOSTALLOC_DEVICEMAP});
  CHECK_THROWS_AS(pool->allocate(10), DriverError);
  CHECK(seen == CU_MEMHOSTALLOC_DEVICEMAP);
}

TEST_CASE("many threads use one pool") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  const auto pool = std::make_shared<DeviceMemoryPool>();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (std::size_t round = 0; round < 500; ++round) {
        const PooledDeviceMemory block = pool->allocate(100 * (i + round % 7));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(pool->active_blocks() == 0);
  CHECK(pool->active_bytes() == 0);
  pool->free_held();
  CHECK(fake().resources.empty());
}

namespace {

int checks = 0;
const unsigned long long* watched = nullptr;

/// A driver that checks accesses where `checks` says so, and remembers the last block's use.
DriverTable checking_driver() {
  DriverTable driver = fake_driver();
  driver.is_checked = [](int* checked) {
    *checked = checks;
    return CUDA_SUCCESS;
  };
  driver.watch_use = [](CUdeviceptr, const unsigned long long* bytes) {
    watched = bytes;
    return CUDA_SUCCESS;
  };
  return driver;
}

}  // namespace

TEST_CASE("the driver can read how much of a block is used") {
  checks = 0;
  const DriverTable driver = checking_driver();
  const CurrentContext context(driver);
  const auto pool = std::make_shared<DeviceMemoryPool>();
  PooledDeviceMemory block = pool->allocate(1000);
  REQUIRE(watched != nullptr);
  CHECK(*watched == 1000);
  CHECK(BlockUse::of(block.pointer()) == 1000);
  const CUdeviceptr address = block.pointer();
  block.free();
  CHECK(*watched == (1000 | 1ull << 63));
  CHECK(BlockUse::of(address) == std::nullopt);
  const PooledDeviceMemory again = pool->allocate(995);
  CHECK(*watched == 995);
}

TEST_CASE("where accesses are checked, blocks are exact and go back to the driver at once") {
  checks = 1;
  const DriverTable driver = checking_driver();
  const CurrentContext context(driver);
  const auto pool = std::make_shared<DeviceMemoryPool>();
  PooledDeviceMemory block = pool->allocate(1000);
  CHECK(pool->managed_bytes() == 1000);
  block.free();
  CHECK(pool->held_blocks() == 0);
  CHECK(pool->managed_bytes() == 0);
  CHECK(watched == nullptr);
  const PooledDeviceMemory empty = pool->allocate(0);
  CHECK(*watched == 0);
  checks = 0;
}

TEST_CASE("checks for a part of the program make blocks exact for that part") {
  checks = 0;
  const DriverTable driver = checking_driver();
  const CurrentContext context(driver);
  const auto pool = std::make_shared<DeviceMemoryPool>();
  PooledDeviceMemory before = pool->allocate(1000);
  pool->allocate(1000).free();
  checks = 1;
  CHECK(pool->held_blocks() == 1);
  PooledDeviceMemory meanwhile = pool->allocate(1000);
  CHECK(pool->held_blocks() == 1);
  CHECK(pool->managed_bytes() == 1023 + 1023 + 1000);
  before.free();
  CHECK(pool->managed_bytes() == 1023 + 1000);
  checks = 0;
  const CUdeviceptr exact = meanwhile.pointer();
  meanwhile.free();
  CHECK(pool->held_blocks() == 2);
  // It is too short for others of its bin.
  const PooledDeviceMemory longer = pool->allocate(1010);
  CHECK(longer.pointer() != exact);
  const PooledDeviceMemory shorter = pool->allocate(999);
  CHECK(shorter.pointer() == exact);
}

TEST_CASE("where accesses are checked, a graph's blocks stay and serve the same size again") {
  checks = 1;
  const DriverTable driver = checking_driver();
  const CurrentContext context(driver);
  const auto pool = std::make_shared<DeviceMemoryPool>(DeviceBlocks{}, Keeping::ForGraph);
  PooledDeviceMemory block = pool->allocate(1000);
  const CUdeviceptr address = block.pointer();
  block.free();
  CHECK(*watched == 1000);
  CHECK(pool->managed_bytes() == 1000);
  const PooledDeviceMemory other = pool->allocate(999);
  CHECK(other.pointer() != address);
  const PooledDeviceMemory same = pool->allocate(1000);
  CHECK(same.pointer() == address);
  checks = 0;
}
