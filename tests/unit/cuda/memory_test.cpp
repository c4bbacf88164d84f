// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "cuda/device_memory.h"
#include "cuda/linker.h"
#include "cuda/managed_memory.h"
#include "cuda/memcpy.h"
#include "cuda/memset.h"
#include "cuda/stream_ordered_memory.h"
#include "unit/fake/fake_driver.h"

using namespace pycuda::cuda;
using pycuda::driver::DriverError;
using pycuda::driver::DriverTable;
using pycuda::testing::CurrentContext;
using pycuda::testing::fake;
using pycuda::testing::fake_driver;

TEST_CASE("pitched memory knows its pitch and its size") {
  DriverTable driver = fake_driver();
  driver.cuMemAllocPitch.bind([&driver](CUdeviceptr* pointer, std::size_t* pitch, std::size_t,
                                        std::size_t height, unsigned int) {
    *pitch = 512;
    return driver.cuMemAlloc.status(pointer, 512 * height);
  });
  const CurrentContext context(driver);
  const DeviceMemory memory = DeviceMemory::pitched(100, 3, 4);
  CHECK(memory.pitch_bytes() == 512);
  CHECK(memory.bytes() == 1536);
}

TEST_CASE("the bytes of memory that is alive are counted") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  const std::size_t before = live_device_bytes();
  {
    DeviceMemory first(100);
    DeviceMemory second(28);
    CHECK(live_device_bytes() == before + 128);
    const DeviceMemory moved = std::move(first);
    CHECK(live_device_bytes() == before + 128);
    second.free();
    CHECK(live_device_bytes() == before + 100);
    CHECK_THROWS_AS(second.free(), DriverError);
    second = DeviceMemory(5);
    CHECK(live_device_bytes() == before + 105);
  }
  CHECK(live_device_bytes() == before);
}

TEST_CASE("a peer copy takes the thread's context where none is given") {
  DriverTable driver = fake_driver();
  static std::pair<CUcontext, CUcontext> seen;
  driver.cuMemcpyPeer.bind(
      [](CUdeviceptr, CUcontext destination, CUdeviceptr, CUcontext source, std::size_t) {
        seen = {destination, source};
        return CUDA_SUCCESS;
      });
  const CurrentContext other(driver);
  const CurrentContext own(driver);
  copy_peer(1, nullptr, 2, *other, 16);
  CHECK(seen == std::pair(own->handle(), other->handle()));
}

TEST_CASE("an unaligned two-dimensional copy uses the driver's unaligned one") {
  DriverTable driver = fake_driver();
  static std::string seen;
  driver.cuMemcpy2D.bind([](const CUDA_MEMCPY2D*) {
    seen = "aligned";
    return CUDA_SUCCESS;
  });
  driver.cuMemcpy2DUnaligned.bind([](const CUDA_MEMCPY2D*) {
    seen = "unaligned";
    return CUDA_SUCCESS;
  });
  const CurrentContext context(driver);
  copy_2d({}, false);
  CHECK(seen == "unaligned");
  copy_2d({});
  CHECK(seen == "aligned");
}

TEST_CASE("the width of the value chooses the memset") {
  DriverTable driver = fake_driver();
  static int bits;
  driver.cuMemsetD8.bind([](CUdeviceptr, unsigned char, std::size_t) {
    bits = 8;
    return CUDA_SUCCESS;
  });
  driver.cuMemsetD2D32Async.bind(
      [](CUdeviceptr, std::size_t, unsigned int, std::size_t, std::size_t, CUstream) {
        bits = 32;
        return CUDA_SUCCESS;
      });
  const CurrentContext context(driver);
  fill(1, std::uint8_t{1}, 4);
  CHECK(bits == 8);
  fill_2d_async(1, 64, std::uint32_t{1}, 4, 2, nullptr);
  CHECK(bits == 32);
}

TEST_CASE("managed memory of no bytes is a block of one, and is freed") {
  DriverTable driver = fake_driver();
  driver.cuMemAllocManaged.bind([&driver](CUdeviceptr* pointer, std::size_t bytes, unsigned int) {
    return driver.cuMemAlloc.status(pointer, bytes);
  });
  const CurrentContext context(driver);
  {
    const ManagedMemory memory(0);
    CHECK(memory.bytes() == 0);
    CHECK(fake().allocated_bytes == 1);
  }
  CHECK(fake().allocated_bytes == 0);
}

TEST_CASE("stream-ordered memory is freed in its stream, or in the one that is named") {
  DriverTable driver = fake_driver();
  static CUstream freed_in;
  driver.cuMemPoolCreate.bind([](CUmemoryPool* pool, const CUmemPoolProps*) {
    *pool = reinterpret_cast<CUmemoryPool>(1);
    return CUDA_SUCCESS;
  });
  driver.cuMemPoolDestroy.bind([](CUmemoryPool) { return CUDA_SUCCESS; });
  driver.cuMemAllocFromPoolAsync.bind(
      [&driver](CUdeviceptr* pointer, std::size_t bytes, CUmemoryPool, CUstream) {
        return driver.cuMemAlloc.status(pointer, bytes);
      });
  driver.cuMemFreeAsync.bind([&driver](CUdeviceptr pointer, CUstream stream) {
    freed_in = stream;
    return driver.cuMemFree.status(pointer);
  });
  const CurrentContext context(driver);
  const auto first = reinterpret_cast<CUstream>(0x10);
  const auto second = reinterpret_cast<CUstream>(0x20);
  const auto pool = StreamOrderedPool::create();
  {
    const StreamOrderedMemory memory = pool->allocate(16, first);
  }
  CHECK(freed_in == first);
  StreamOrderedMemory memory = pool->allocate(16, first);
  memory.free(second);
  CHECK(freed_in == second);
  CHECK_THROWS_WITH_AS(memory.free(),
                       "stream_ordered_allocation::free failed: invalid resource handle - it has "
                       "been released before",
                       DriverError);
  CHECK(fake().resources.empty());
}

TEST_CASE("a device without stream-ordered pools says so") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  CHECK_THROWS_WITH_AS(StreamOrderedPool::create(),
                       "cuMemPoolCreate failed: operation not supported", DriverError);
}

TEST_CASE("the linker's log stands in its errors, and its state is destroyed") {
  DriverTable driver = fake_driver();
  static char* errors;
  driver.cuLinkCreate.bind(
      [](unsigned int count, CUjit_option* keys, void** values, CUlinkState* state) {
        for (unsigned int i = 0; i < count; ++i) {
          if (keys[i] == CU_JIT_ERROR_LOG_BUFFER) errors = static_cast<char*>(values[i]);
        }
        *state = reinterpret_cast<CUlinkState>(0x5);
        return CUDA_SUCCESS;
      });
  static std::string given;
  driver.cuLinkAddData.bind([](CUlinkState, CUjitInputType, void* data, std::size_t bytes,
                               const char*, unsigned int, CUjit_option*, void**) {
    given.assign(static_cast<const char*>(data), bytes);
    errors[0] = 'E';
    return CUDA_ERROR_INVALID_VALUE;
  });
  static int destroyed;
  destroyed = 0;
  driver.cuLinkDestroy.bind([](CUlinkState) {
    ++destroyed;
    return CUDA_SUCCESS;
  });
  const CurrentContext context(driver);
  {
    Linker linker;
    CHECK_THROWS_WITH_AS(linker.add_data("ptx", CU_JIT_INPUT_PTX),
                         "cuLinkAddData failed: invalid argument - E", DriverError);
    CHECK(given == std::string("ptx\0", 4));
    CHECK(linker.log().errors == "E");
  }
  CHECK(destroyed == 1);
}
