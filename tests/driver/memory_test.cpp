// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "driver/driver.h"

using namespace driver_test;

namespace {

std::vector<unsigned char> counting(std::size_t bytes) {
  std::vector<unsigned char> values(bytes);
  std::iota(values.begin(), values.end(), static_cast<unsigned char>(1));
  return values;
}

std::vector<unsigned char> read(CUdeviceptr from, std::size_t bytes) {
  std::vector<unsigned char> values(bytes);
  REQUIRE(CU(cuMemcpyDtoH_v2)(values.data(), from, bytes) == CUDA_SUCCESS);
  return values;
}

void wait_a_while(void*) { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }

}  // namespace

TEST_CASE("allocations are distinct, aligned and accounted") {
  const CurrentContext context;
  size_t free = 0;
  size_t total = 0;
  REQUIRE(CU(cuMemGetInfo_v2)(&free, &total) == CUDA_SUCCESS);
  CHECK(free <= total);
  CUdeviceptr first = 0;
  CUdeviceptr second = 0;
  REQUIRE(CU(cuMemAlloc_v2)(&first, 1) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemAlloc_v2)(&second, 64 << 20) == CUDA_SUCCESS);
  CHECK(first != second);
  CHECK(first % 256 == 0);
  CHECK(second % 256 == 0);
  size_t after = 0;
  REQUIRE(CU(cuMemGetInfo_v2)(&after, &total) == CUDA_SUCCESS);
  if (is_cpu_driver()) CHECK(after + (64 << 20) <= free);  // others may free a GPU's meanwhile
  CHECK(CU(cuMemFree_v2)(first) == CUDA_SUCCESS);
  CHECK(CU(cuMemFree_v2)(second) == CUDA_SUCCESS);
}

TEST_CASE("bad allocations and frees are refused") {
  const CurrentContext context;
  const DeviceBlock block(4096);
  CUdeviceptr memory = 0;
  char host[16];
  CHECK(CU(cuMemAlloc_v2)(&memory, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemAlloc_v2)(nullptr, 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemAlloc_v2)(&memory, size_t{1} << 50) == CUDA_ERROR_OUT_OF_MEMORY);
  CHECK(CU(cuMemFree_v2)(0) == CUDA_SUCCESS);
  CHECK(CU(cuMemFree_v2)(block.address() + 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemFree_v2)(0x1234) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemFree_v2)(reinterpret_cast<CUdeviceptr>(host)) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("pitched memory has rows at least as wide as asked for") {
  const CurrentContext context;
  CUdeviceptr memory = 0;
  size_t pitch = 0;
  REQUIRE(CU(cuMemAllocPitch_v2)(&memory, &pitch, 513, 10, 16) == CUDA_SUCCESS);
  CHECK(pitch >= 513);
  CHECK(pitch % 16 == 0);
  CHECK(CU(cuMemsetD8_v2)(memory, 0, pitch * 10) == CUDA_SUCCESS);
  CHECK(CU(cuMemFree_v2)(memory) == CUDA_SUCCESS);
  CHECK(CU(cuMemAllocPitch_v2)(&memory, &pitch, 100, 10, 3) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemAllocPitch_v2)(&memory, &pitch, 0, 10, 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemAllocPitch_v2)(&memory, &pitch, 100, 0, 4) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("an address inside an allocation leads to its start and size") {
  const CurrentContext context;
  const DeviceBlock block(1000);
  CUdeviceptr base = 0;
  size_t bytes = 0;
  CHECK(CU(cuMemGetAddressRange_v2)(&base, &bytes, block.address() + 500) == CUDA_SUCCESS);
  CHECK(base == block.address());
  CHECK(bytes == 1000);
  CHECK(CU(cuMemGetAddressRange_v2)(&base, &bytes, reinterpret_cast<CUdeviceptr>(&bytes)) ==
        CUDA_ERROR_NOT_FOUND);
}

TEST_CASE("copies go there and back") {
  const CurrentContext context;
  const auto values = counting(1000);
  const DeviceBlock first(1000);
  const DeviceBlock second(1000);
  REQUIRE(CU(cuMemcpyHtoD_v2)(first.address(), values.data(), 1000) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemcpyDtoD_v2)(second.address(), first.address(), 1000) == CUDA_SUCCESS);
  CHECK(read(second.address(), 1000) == values);
  std::vector<unsigned char> back(1000);
  REQUIRE(CU(cuMemcpy)(reinterpret_cast<CUdeviceptr>(back.data()), second.address(), 1000) ==
          CUDA_SUCCESS);
  CHECK(back == values);
  REQUIRE(CU(cuMemsetD8_v2)(second.address(), 0, 1000) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemcpyPeer)(second.address(), context.handle(), first.address(), context.handle(),
                           1000) == CUDA_SUCCESS);
  CHECK(read(second.address(), 1000) == values);
}

TEST_CASE("copies outside of allocations are refused") {
  const CurrentContext context;
  const DeviceBlock block(4096);
  std::vector<char> host(8192);
  const auto as_device = reinterpret_cast<CUdeviceptr>(host.data());
  CHECK(CU(cuMemcpyHtoD_v2)(block.address(), host.data(), 4097) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemcpyHtoD_v2)(block.address(), nullptr, 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemcpyHtoD_v2)(0, host.data(), 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemcpyHtoD_v2)(0, host.data(), 0) == CUDA_SUCCESS);
  CHECK(CU(cuMemcpyHtoD_v2)(as_device, host.data() + 64, 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemcpyDtoH_v2)(host.data(), as_device + 64, 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemcpyDtoD_v2)(block.address(), as_device, 16) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemcpy)(block.address(), as_device, 16) == CUDA_SUCCESS);
  CHECK(CU(cuMemcpyHtoDAsync_v2)(block.address(), host.data(), 4097, nullptr) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("copies from or to addresses that are none are refused") {
  initialise();
  if (!is_cpu_driver()) return;  // NVIDIA's driver follows what it takes for the host's
  const CurrentContext context;
  const DeviceBlock block(4096);
  const CUdeviceptr memory = block.address();
  std::vector<unsigned char> host(4096);
  for (const CUdeviceptr nowhere :
       {CUdeviceptr{0x1234}, CUdeviceptr{1} << 46, ~CUdeviceptr{4095}}) {
    CHECK(CU(cuMemcpy)(memory, nowhere, 64) == CUDA_ERROR_INVALID_VALUE);
    CHECK(CU(cuMemcpy)(nowhere, memory, 64) == CUDA_ERROR_INVALID_VALUE);
    CHECK(CU(cuMemcpyDtoD_v2)(memory, nowhere, 64) == CUDA_ERROR_INVALID_VALUE);
    CHECK(CU(cuMemcpyDtoH_v2)(host.data(), nowhere, 64) == CUDA_ERROR_INVALID_VALUE);
    for (const bool from : {true, false}) {
      CUDA_MEMCPY3D box{};
      box.srcMemoryType = box.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
      box.srcDevice = from ? nowhere : memory;
      box.dstDevice = from ? memory : nowhere;
      box.srcPitch = box.dstPitch = 64;
      box.srcHeight = box.dstHeight = 4;
      box.WidthInBytes = 16;
      box.Height = 4;
      box.Depth = 2;
      CHECK(CU(cuMemcpy3D_v2)(&box) == CUDA_ERROR_INVALID_VALUE);
    }
  }
  CHECK(CU(cuMemcpyHtoD_v2)(memory, host.data(), 4096) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
}

TEST_CASE("asynchronous copies are done when their stream is") {
  const CurrentContext context;
  const auto values = counting(1 << 20);
  std::vector<unsigned char> back(values.size());
  const DeviceBlock block(values.size());
  CUstream stream = nullptr;
  REQUIRE(CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemcpyHtoDAsync_v2)(block.address(), values.data(), values.size(), stream) ==
          CUDA_SUCCESS);
  REQUIRE(CU(cuMemsetD8Async)(block.address(), 9, 10, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemcpyDtoHAsync_v2)(back.data(), block.address(), back.size(), stream) ==
          CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(back[9] == 9);
  CHECK(std::memcmp(back.data() + 10, values.data() + 10, values.size() - 10) == 0);
  CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
}

TEST_CASE("memory that is not page-locked may change once an asynchronous copy's call returns") {
  const CurrentContext context;
  CUstream stream = nullptr;
  REQUIRE(CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  for (const std::size_t bytes : {std::size_t{1000}, std::size_t{1} << 20}) {
    auto values = counting(bytes);
    const auto before = values;
    std::vector<unsigned char> back(bytes);
    const DeviceBlock block(bytes);
    REQUIRE(CU(cuLaunchHostFunc)(stream, wait_a_while, nullptr) == CUDA_SUCCESS);
    REQUIRE(CU(cuMemcpyHtoDAsync_v2)(block.address(), values.data(), bytes, stream) ==
            CUDA_SUCCESS);
    std::ranges::fill(values, 0);
    REQUIRE(CU(cuLaunchHostFunc)(stream, wait_a_while, nullptr) == CUDA_SUCCESS);
    REQUIRE(CU(cuMemcpyDtoHAsync_v2)(back.data(), block.address(), bytes, stream) == CUDA_SUCCESS);
    CHECK(back == before);
  }
  CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
}

TEST_CASE("a two-dimensional asynchronous copy from such memory, too") {
  const CurrentContext context;
  CUstream stream = nullptr;
  REQUIRE(CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  auto values = counting(64);
  const auto before = values;
  std::vector<unsigned char> back(64);
  const DeviceBlock block(64);
  REQUIRE(CU(cuLaunchHostFunc)(stream, wait_a_while, nullptr) == CUDA_SUCCESS);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = values.data();
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = block.address();
  copy.srcPitch = copy.dstPitch = copy.WidthInBytes = 16;
  copy.Height = 4;
  REQUIRE(CU(cuMemcpy2DAsync_v2)(&copy, stream) == CUDA_SUCCESS);
  std::ranges::fill(values, 0);
  REQUIRE(CU(cuMemcpyDtoHAsync_v2)(back.data(), block.address(), 64, stream) == CUDA_SUCCESS);
  CHECK(back == before);
  CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
}

TEST_CASE("a two-dimensional copy moves a rectangle and nothing else") {
  const CurrentContext context;
  const auto values = counting(64);
  const DeviceBlock block(256);
  REQUIRE(CU(cuMemsetD8_v2)(block.address(), 0xee, 256) == CUDA_SUCCESS);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = values.data();
  copy.srcPitch = 8;
  copy.srcXInBytes = 1;
  copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = block.address();
  copy.dstPitch = 32;
  copy.dstXInBytes = 4;
  copy.dstY = 2;
  copy.WidthInBytes = 5;
  copy.Height = 3;
  REQUIRE(CU(cuMemcpy2D_v2)(&copy) == CUDA_SUCCESS);
  const auto seen = read(block.address(), 256);
  for (unsigned y = 0; y < 8; ++y) {
    for (unsigned x = 0; x < 32; ++x) {
      const bool inside = y >= 2 && y < 5 && x >= 4 && x < 9;
      const unsigned expected = inside ? values[(y - 2 + 1) * 8 + (x - 4 + 1)] : 0xee;
      CHECK(seen[y * 32 + x] == expected);
    }
  }
}

TEST_CASE("the rules of two-dimensional copies") {
  const CurrentContext context;
  const DeviceBlock block(4096);
  std::vector<char> host(8192);
  CUDA_MEMCPY2D good{};
  good.srcMemoryType = CU_MEMORYTYPE_HOST;
  good.srcHost = host.data();
  good.srcPitch = 16;
  good.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  good.dstDevice = block.address();
  good.dstPitch = 32;
  good.WidthInBytes = 16;
  good.Height = 4;
  const auto with = [&](auto change) {
    CUDA_MEMCPY2D copy = good;
    change(copy);
    return CU(cuMemcpy2D_v2)(&copy);
  };
  CHECK(with([](auto&) {}) == CUDA_SUCCESS);
  CHECK(with([](auto& copy) { copy.srcPitch = 8; }) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with([](auto& copy) { copy.srcPitch = 0; }) == CUDA_SUCCESS);
  CHECK(with([](auto& copy) { copy.Height = 0; }) == CUDA_SUCCESS);
  CHECK(with([](auto& copy) { copy.WidthInBytes = 0; }) == CUDA_SUCCESS);
  CHECK(with([](auto& copy) { copy.Height = 200; }) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with([](auto& copy) { copy.dstXInBytes = 16; }) == CUDA_SUCCESS);
  CHECK(with([](auto& copy) { copy.dstXInBytes = 17; }) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with([](auto& copy) { copy.dstMemoryType = outside<CUmemorytype>(9); }) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(with([](auto& copy) { copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED; }) == CUDA_SUCCESS);
  CHECK(CU(cuMemcpy2D_v2)(nullptr) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a three-dimensional copy moves a box") {
  const CurrentContext context;
  const auto values = counting(4 * 4 * 4);
  const DeviceBlock block(8 * 6 * 5);
  REQUIRE(CU(cuMemsetD8_v2)(block.address(), 0xee, 8 * 6 * 5) == CUDA_SUCCESS);
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = values.data();
  copy.srcPitch = 4;
  copy.srcHeight = 4;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = block.address();
  copy.dstPitch = 8;
  copy.dstHeight = 6;
  copy.dstXInBytes = 3;
  copy.dstY = 1;
  copy.dstZ = 1;
  copy.WidthInBytes = 4;
  copy.Height = 4;
  copy.Depth = 3;
  REQUIRE(CU(cuMemcpy3D_v2)(&copy) == CUDA_SUCCESS);
  const auto seen = read(block.address(), 8 * 6 * 5);
  for (unsigned z = 0; z < 5; ++z) {
    for (unsigned y = 0; y < 6; ++y) {
      for (unsigned x = 0; x < 8; ++x) {
        const bool inside = z >= 1 && z < 4 && y >= 1 && y < 5 && x >= 3 && x < 7;
        const unsigned expected = inside ? values[((z - 1) * 4 + y - 1) * 4 + x - 3] : 0xee;
        CHECK(seen[(z * 6 + y) * 8 + x] == expected);
      }
    }
  }
  copy.dstHeight = 4;
  CHECK(CU(cuMemcpy3D_v2)(&copy) == CUDA_ERROR_INVALID_VALUE);
  copy.Depth = 0;
  CHECK(CU(cuMemcpy3D_v2)(&copy) == CUDA_SUCCESS);
}

TEST_CASE("memsets write their value and stop where they should") {
  const CurrentContext context;
  const DeviceBlock block(64);
  REQUIRE(CU(cuMemsetD32_v2)(block.address(), 0x01020304, 16) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemsetD16_v2)(block.address() + 8, 0xaabb, 4) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemsetD8_v2)(block.address() + 20, 0x77, 3) == CUDA_SUCCESS);
  std::array<unsigned, 16> words{};
  REQUIRE(CU(cuMemcpyDtoH_v2)(words.data(), block.address(), 64) == CUDA_SUCCESS);
  CHECK(words[1] == 0x01020304);
  CHECK(words[2] == 0xaabbaabb);
  CHECK(words[3] == 0xaabbaabb);
  CHECK(words[4] == 0x01020304);
  CHECK(words[5] == 0x01777777);
}

TEST_CASE("two-dimensional memsets leave the gaps alone") {
  const CurrentContext context;
  const DeviceBlock block(64);
  REQUIRE(CU(cuMemsetD8_v2)(block.address(), 0, 64) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemsetD2D16_v2)(block.address(), 16, 0x5555, 3, 4) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemsetD2D8Async)(block.address() + 8, 16, 0x11, 2, 4, nullptr) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemsetD2D32Async)(block.address() + 12, 16, 0x22222222, 1, 4, nullptr) ==
          CUDA_SUCCESS);
  const auto seen = read(block.address(), 64);
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned x = i % 16;
    const unsigned expected = x < 6 ? 0x55 : x < 8 ? 0 : x < 10 ? 0x11 : x < 12 ? 0 : 0x22;
    CHECK(seen[i] == expected);
  }
}

TEST_CASE("the rules of memsets") {
  const CurrentContext context;
  const DeviceBlock block(4096);
  const CUdeviceptr at = block.address();
  char host[16];
  CHECK(CU(cuMemsetD8_v2)(at, 1, 4097) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemsetD32_v2)(at + 2, 1, 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemsetD16_v2)(at + 1, 1, 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemsetD32_v2)(0, 1, 0) == CUDA_SUCCESS);
  CHECK(CU(cuMemsetD32_v2)(0, 1, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemsetD2D32_v2)(at, 4, 1, 4, 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemsetD2D32_v2)(at, 17, 1, 4, 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemsetD2D32_v2)(at, 64, 1, 4, 64) == CUDA_SUCCESS);
  CHECK(CU(cuMemsetD2D32_v2)(at, 64, 1, 4, 65) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemsetD2D8_v2)(at, 4, 1, 5, 1) ==
        CUDA_SUCCESS);  // of one row, the pitch does not matter
  CHECK(CU(cuMemsetD2D8_v2)(at, 0, 1, 5, 2) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemsetD8_v2)(reinterpret_cast<CUdeviceptr>(host), 1, 4) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("page-locked memory is reachable from both sides") {
  const CurrentContext context;
  void* memory = nullptr;
  REQUIRE(CU(cuMemHostAlloc)(&memory, 4096, CU_MEMHOSTALLOC_DEVICEMAP) == CUDA_SUCCESS);
  std::memset(memory, 3, 4096);
  CUdeviceptr device = 0;
  REQUIRE(CU(cuMemHostGetDevicePointer_v2)(&device, memory, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemsetD8_v2)(device, 4, 16) == CUDA_SUCCESS);
  CHECK(static_cast<char*>(memory)[15] == 4);
  CHECK(static_cast<char*>(memory)[16] == 3);
  unsigned flags = 0;
  CHECK(CU(cuMemHostGetFlags)(&flags, memory) == CUDA_SUCCESS);
  CHECK((flags & CU_MEMHOSTALLOC_DEVICEMAP) != 0);
  CHECK(CU(cuMemFree_v2)(device) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemFreeHost)(memory) == CUDA_SUCCESS);
  CHECK(CU(cuMemHostAlloc)(&memory, 10, 0x100) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemFreeHost)(&flags) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemFreeHost)(nullptr) == CUDA_SUCCESS);
}

TEST_CASE("host memory is registered once and unregistered once") {
  const CurrentContext context;
  std::vector<char> memory(16384);
  CHECK(CU(cuMemHostRegister_v2)(memory.data(), 8192, 0) == CUDA_SUCCESS);
  CHECK(CU(cuMemHostRegister_v2)(memory.data(), 8192, 0) ==
        CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  CHECK(CU(cuMemHostRegister_v2)(memory.data() + 4096, 8192, 0) ==
        CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  CHECK(CU(cuMemHostRegister_v2)(nullptr, 100, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemHostRegister_v2)(memory.data(), 0, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemHostUnregister)(memory.data()) == CUDA_SUCCESS);
  CHECK(CU(cuMemHostUnregister)(memory.data()) == CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST_CASE("host memory that is not there cannot be registered") {
  const CurrentContext context;
  constexpr std::size_t page = 4096;
  void* const map =
      mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(map != MAP_FAILED);
  auto* const memory = static_cast<char*>(map);
  REQUIRE(munmap(memory + page, page) == 0);
  CHECK(CU(cuMemHostRegister_v2)(memory, 3 * page, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemHostRegister_v2)(memory + 100, page, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemHostRegister_v2)(memory + page, 10, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemHostRegister_v2)(memory + 2 * page, page, 0) == CUDA_SUCCESS);
  CHECK(CU(cuMemHostUnregister)(memory + 2 * page) == CUDA_SUCCESS);
  munmap(memory, page);
  munmap(memory + 2 * page, page);
}

TEST_CASE("managed memory is one address for host and device") {
  const CurrentContext context;
  CUdeviceptr memory = 0;
  REQUIRE(CU(cuMemAllocManaged)(&memory, 4096, CU_MEM_ATTACH_GLOBAL) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemsetD8_v2)(memory, 6, 4096) == CUDA_SUCCESS);
  REQUIRE(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  CHECK(reinterpret_cast<const char*>(memory)[4095] == 6);
  CHECK(CU(cuMemAdvise)(memory, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0) == CUDA_SUCCESS);
  int read_mostly = 0;
  CHECK(CU(cuMemRangeGetAttribute)(&read_mostly, sizeof read_mostly,
                                   CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory,
                                   4096) == CUDA_SUCCESS);
  CHECK(read_mostly == 1);
  CHECK(CU(cuMemFree_v2)(memory) == CUDA_SUCCESS);
  CHECK(CU(cuMemAllocManaged)(&memory, 0, CU_MEM_ATTACH_GLOBAL) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemAllocManaged)(&memory, 16, 3) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("pointers tell what they point to") {
  const CurrentContext context;
  const DeviceBlock block(1000);
  unsigned type = 0;
  CUcontext owner = nullptr;
  CUdeviceptr start = 0;
  size_t bytes = 0;
  const CUdeviceptr inside = block.address() + 10;
  CHECK(CU(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, inside) == CUDA_SUCCESS);
  CHECK(type == CU_MEMORYTYPE_DEVICE);
  CHECK(CU(cuPointerGetAttribute)(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, inside) == CUDA_SUCCESS);
  CHECK(owner == context.handle());
  CHECK(CU(cuPointerGetAttribute)(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, inside) ==
        CUDA_SUCCESS);
  CHECK(start == block.address());
  CHECK(CU(cuPointerGetAttribute)(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, inside) == CUDA_SUCCESS);
  CHECK(bytes == 1000);
  CHECK(CU(cuPointerGetAttribute)(&start, CU_POINTER_ATTRIBUTE_HOST_POINTER, inside) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                  reinterpret_cast<CUdeviceptr>(&type)) ==
        CUDA_ERROR_INVALID_VALUE);

  void* host = nullptr;
  REQUIRE(CU(cuMemAllocHost_v2)(&host, 64) == CUDA_SUCCESS);
  CHECK(CU(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                  reinterpret_cast<CUdeviceptr>(host)) == CUDA_SUCCESS);
  CHECK(type == CU_MEMORYTYPE_HOST);
  CHECK(CU(cuMemFreeHost)(host) == CUDA_SUCCESS);

  // Many at once: what memory the driver does not know has reads as nothing.
  CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                 CU_POINTER_ATTRIBUTE_DEVICE_POINTER, CU_POINTER_ATTRIBUTE_CONTEXT};
  void* device = &type;
  void* values[] = {&type, &device, &owner};
  CHECK(CU(cuPointerGetAttributes)(3, names, values, reinterpret_cast<CUdeviceptr>(&bytes)) ==
        CUDA_SUCCESS);
  CHECK(type == 0);
  CHECK(device == nullptr);
  CHECK(owner == nullptr);
}
