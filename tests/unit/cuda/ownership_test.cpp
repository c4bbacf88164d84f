// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "cuda/device_memory.h"
#include "cuda/event.h"
#include "cuda/host_memory.h"
#include "cuda/owned.h"
#include "cuda/stream.h"
#include "unit/fake/fake_driver.h"

using namespace pycuda::cuda;
using pycuda::driver::DriverError;
using pycuda::driver::DriverTable;
using pycuda::testing::CurrentContext;
using pycuda::testing::fake;
using pycuda::testing::fake_driver;

namespace {

std::string reported;
int reports = 0;

/// Listens to failed clean-ups while it lives.
struct Reports {
  Reports() {
    reported.clear();
    reports = 0;
    set_cleanup_reporter([](const char* text) noexcept {
      reported = text;
      ++reports;
    });
  }
  ~Reports() { set_cleanup_reporter(nullptr); }
};

}  // namespace

TEST_CASE("an event that could not be created destroys nothing") {
  DriverTable driver = fake_driver();
  driver.cuEventCreate.bind([](CUevent*, unsigned int) { return CUDA_ERROR_OUT_OF_MEMORY; });
  const CurrentContext context(driver);
  CHECK_THROWS_WITH_AS(Event(), "cuEventCreate failed: out of memory", DriverError);
  CHECK(fake().released == 0);
}

TEST_CASE("moving a resource neither loses nor doubles it") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  {
    Stream first;
    const CUstream handle = first.handle();
    Stream second = std::move(first);
    CHECK(second.handle() == handle);
    Stream third;
    third = std::move(second);
    CHECK(third.handle() == handle);
    CHECK(fake().resources.size() == 1);
  }
  CHECK(fake().released == 2);
  CHECK(fake().resources.empty());
}

TEST_CASE("a resource is released under the context that it was made in") {
  const DriverTable driver = fake_driver();
  const CurrentContext own(driver);
  std::optional<DeviceMemory> memory(std::in_place, 16);
  const CurrentContext other(driver);
  memory.reset();
  CHECK(fake().released == 1);
  CHECK(fake().released_elsewhere == 0);
  CHECK(pycuda::testing::fake_driver_stack().back() == other->handle());
}

TEST_CASE("any thread can release anything") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  DeviceMemory memory(16);
  std::thread([taken = std::move(memory)] {}).join();
  CHECK(fake().released == 1);
  CHECK(fake().released_elsewhere == 0);
}

TEST_CASE("a resource keeps its context alive") {
  const DriverTable driver = fake_driver();
  std::optional<Stream> stream;
  {
    const CurrentContext context(driver);
    stream.emplace();
  }
  CHECK(fake().contexts.size() == 1);
  stream.reset();
  CHECK(fake().released == 1);
  CHECK(fake().contexts.empty());
}

TEST_CASE("what was made in a dead context is dropped silently") {
  const DriverTable driver = fake_driver();
  const Reports listening;
  const CurrentContext context(driver);
  {
    const Stream stream;
    const DeviceMemory memory(16);
    context->detach();
  }
  CHECK(reports == 0);
  CHECK(fake().released == 0);
}

TEST_CASE("a failed release is reported, not thrown") {
  DriverTable driver = fake_driver();
  const Reports listening;
  const CurrentContext context(driver);
  driver.cuMemFree.bind([](CUdeviceptr) { return CUDA_ERROR_INVALID_VALUE; });
  {
    const DeviceMemory memory(16);
  }
  CHECK(reports == 1);
  CHECK(reported ==
        "a clean-up operation failed (dead context maybe?): cuMemFree failed: invalid argument");
}

TEST_CASE("a lost context is reported once, however much was made in it") {
  DriverTable driver = fake_driver();
  const Reports listening;
  const CurrentContext context(driver);
  driver.cuMemFree.bind([](CUdeviceptr) { return CUDA_ERROR_ILLEGAL_ADDRESS; });
  {
    const DeviceMemory first(16);
    const DeviceMemory second(16);
  }
  CHECK(reports == 1);
}

TEST_CASE("a driver that shuts down is no reason to complain") {
  DriverTable driver = fake_driver();
  const Reports listening;
  const CurrentContext context(driver);
  driver.cuMemFree.bind([](CUdeviceptr) { return CUDA_ERROR_DEINITIALIZED; });
  {
    const DeviceMemory memory(16);
  }
  CHECK(reports == 0);
}

TEST_CASE("memory freed twice is an error the second time") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  DeviceMemory memory(16);
  memory.free();
  CHECK(fake().resources.empty());
  CHECK_THROWS_WITH_AS(
      memory.free(),
      "device_allocation::free failed: invalid resource handle - it has been released before",
      DriverError);
}

TEST_CASE("a borrowed stream is used and never destroyed") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  const Stream owner;
  {
    const Stream borrowed = Stream::borrow(owner.handle());
  }
  CHECK(fake().resources.size() == 1);
}

TEST_CASE("out of memory is tried again after the hook has freed some") {
  const DriverTable driver = fake_driver();
  fake().memory_bytes = 100;
  const CurrentContext context(driver);
  static std::optional<DeviceMemory> kept;
  kept.emplace(80);
  CHECK_THROWS_WITH_AS(DeviceMemory(80), "cuMemAlloc failed: out of memory - 80 bytes",
                       DriverError);
  set_memory_pressure_hook([]() noexcept { kept.reset(); });
  const DeviceMemory memory(80);
  set_memory_pressure_hook(nullptr);
  CHECK(memory.bytes() == 80);
  CHECK(fake().allocated_bytes == 80);
}

TEST_CASE("an event not yet reached is an answer, not an error") {
  DriverTable driver = fake_driver();
  driver.cuEventQuery.bind([](CUevent) { return CUDA_ERROR_NOT_READY; });
  const CurrentContext context(driver);
  const Event event;
  CHECK_FALSE(event.query());
  driver.cuEventQuery.bind([](CUevent) { return CUDA_ERROR_LAUNCH_FAILED; });
  CHECK_THROWS_AS(event.query(), DriverError);
}

TEST_CASE("aligned memory needs no driver and checks its alignment") {
  AlignedMemory memory(100, 4096);
  CHECK(reinterpret_cast<std::uintptr_t>(memory.data()) % 4096 == 0);
  memory.free();
  CHECK_THROWS_WITH_AS(
      memory.free(),
      "aligned_host_allocation::free failed: invalid resource handle - it has been released before",
      DriverError);
  CHECK_THROWS_WITH_AS(AlignedMemory(1, 24),
                       "aligned_malloc failed: invalid argument - alignment must be a power of two",
                       DriverError);
  CHECK(AlignedMemory(0, 1).data() != nullptr);
}
