// SPDX-License-Identifier: MIT
// Managed memory goes where programs ask for it, and tells; pointers take one attribute.
#include <doctest/doctest.h>

#include <array>

#include "driver/driver.h"

using namespace driver_test;

namespace {

constexpr std::size_t bytes = std::size_t{1} << 20;

struct Managed {
  explicit Managed(unsigned flags = CU_MEM_ATTACH_GLOBAL) {
    REQUIRE(CU(cuMemAllocManaged)(&address, bytes, flags) == CUDA_SUCCESS);
  }
  ~Managed() { CHECK(CU(cuMemFree_v2)(address) == CUDA_SUCCESS); }
  Managed(const Managed&) = delete;
  Managed& operator=(const Managed&) = delete;
  CUdeviceptr address = 0;
};

CUmemLocation device(int id) {
  CUmemLocation place{};
  place.type = CU_MEM_LOCATION_TYPE_DEVICE;
  place.id = id;
  return place;
}

}  // namespace

TEST_CASE("managed memory is brought to a device, and says so") {
  if (!has_symbol("cuMemPrefetchAsync_v2")) return;  // before CUDA 12.2
  const CurrentContext context;
  const Managed memory;
  CHECK(CU(cuMemAdvise_v2)(memory.address, bytes, CU_MEM_ADVISE_SET_READ_MOSTLY, device(0)) ==
        CUDA_SUCCESS);
  CHECK(CU(cuMemAdvise_v2)(memory.address, bytes, outside<CUmem_advise>(99), device(0)) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemPrefetchAsync_v2)(memory.address, bytes, device(0), 0, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(nullptr) == CUDA_SUCCESS);
  int last = -7, mostly_read = -7;
  std::array<void*, 2> answers{&last, &mostly_read};
  std::array<std::size_t, 2> sizes{sizeof last, sizeof mostly_read};
  std::array<CUmem_range_attribute, 2> names{CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION,
                                             CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY};
  CHECK(CU(cuMemRangeGetAttributes)(answers.data(), sizes.data(), names.data(), 2, memory.address,
                                    bytes) == CUDA_SUCCESS);
  CHECK(last == 0);
  CHECK(mostly_read == 1);
  CHECK(CU(cuMemRangeGetAttributes)(answers.data(), sizes.data(), names.data(), 0, memory.address,
                                    bytes) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemRangeGetAttributes)(nullptr, sizes.data(), names.data(), 2, memory.address,
                                    bytes) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemPrefetchAsync_v2)(memory.address, bytes, device(0), 1, nullptr) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemPrefetchAsync_v2)(memory.address, 0, device(0), 0, nullptr) ==
        CUDA_ERROR_INVALID_VALUE);
  const DeviceBlock block(4096);
  CHECK(CU(cuMemPrefetchAsync_v2)(block.address(), 4096, device(0), 0, nullptr) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("advice about managed memory is told as it was given") {
  if (!has_symbol("cuMemAdvise_v2")) return;  // before CUDA 12.2
  const CurrentContext context;
  const Managed memory;
  const auto told = [&](CUmem_range_attribute name) {
    int answer = -7;
    CHECK(CU(cuMemRangeGetAttribute)(&answer, sizeof answer, name, memory.address, bytes) ==
          CUDA_SUCCESS);
    return answer;
  };
  const auto advise = [&](CUmem_advise advice, CUmemLocation place) {
    CHECK(CU(cuMemAdvise_v2)(memory.address, bytes, advice, place) == CUDA_SUCCESS);
  };
  CUmemLocation host{};
  host.type = CU_MEM_LOCATION_TYPE_HOST;

  CHECK(told(CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY) == CU_DEVICE_INVALID);
  advise(CU_MEM_ADVISE_SET_ACCESSED_BY, device(0));
  std::array<int, 3> devices{-7, -7, -7};
  CHECK(CU(cuMemRangeGetAttribute)(devices.data(), sizeof devices,
                                   CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, memory.address,
                                   bytes) == CUDA_SUCCESS);
  CHECK(devices == std::array<int, 3>{0, CU_DEVICE_INVALID, CU_DEVICE_INVALID});
  // Devices come before the host.
  advise(CU_MEM_ADVISE_SET_ACCESSED_BY, host);
  CHECK(CU(cuMemRangeGetAttribute)(devices.data(), sizeof devices,
                                   CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, memory.address,
                                   bytes) == CUDA_SUCCESS);
  CHECK(devices == std::array<int, 3>{0, CU_DEVICE_CPU, CU_DEVICE_INVALID});
  advise(CU_MEM_ADVISE_UNSET_ACCESSED_BY, host);
  advise(CU_MEM_ADVISE_UNSET_ACCESSED_BY, device(0));
  CHECK(told(CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY) == CU_DEVICE_INVALID);
  advise(CU_MEM_ADVISE_SET_ACCESSED_BY, host);
  CHECK(told(CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY) == CU_DEVICE_CPU);

  CHECK(told(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE) == CU_MEM_LOCATION_TYPE_INVALID);
  advise(CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device(0));
  CHECK(told(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE) == CU_MEM_LOCATION_TYPE_DEVICE);
  CHECK(told(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID) == 0);
  CHECK(told(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION) == 0);
  advise(CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host);
  CHECK(told(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE) == CU_MEM_LOCATION_TYPE_HOST);
  CHECK(told(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION) == CU_DEVICE_CPU);
  advise(CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, host);
  CHECK(told(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE) == CU_MEM_LOCATION_TYPE_INVALID);

  CHECK(told(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE) == CU_MEM_LOCATION_TYPE_INVALID);
  CHECK(CU(cuMemPrefetchAsync_v2)(memory.address, bytes, device(0), 0, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(nullptr) == CUDA_SUCCESS);
  CHECK(told(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE) == CU_MEM_LOCATION_TYPE_DEVICE);
  CHECK(told(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID) == 0);
}

TEST_CASE("managed memory belongs to a stream") {
  const CurrentContext context;
  const Managed memory(CU_MEM_ATTACH_HOST);
  CUstream stream = nullptr;
  REQUIRE(CU(cuStreamCreate)(&stream, 0) == CUDA_SUCCESS);
  CHECK(CU(cuStreamAttachMemAsync)(stream, memory.address, 0, CU_MEM_ATTACH_SINGLE) ==
        CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamAttachMemAsync)(stream, memory.address, 0, 8) == CUDA_ERROR_INVALID_VALUE);
  const DeviceBlock block(4096);
  CHECK(CU(cuStreamAttachMemAsync)(stream, block.address(), 0, CU_MEM_ATTACH_SINGLE) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
}

TEST_CASE("advice is for pages, and an answer for what all pages of a range have") {
  if (!has_symbol("cuMemAdvise_v2")) return;  // before CUDA 12.2
  const CurrentContext context;
  const Managed memory;
  constexpr std::size_t half = bytes / 2;
  const auto told = [&](CUmem_range_attribute name, std::size_t begin, std::size_t size) {
    int answer = -7;
    CHECK(CU(cuMemRangeGetAttribute)(&answer, sizeof answer, name, memory.address + begin, size) ==
          CUDA_SUCCESS);
    return answer;
  };
  const auto advise = [&](CUmem_advise advice, std::size_t begin, std::size_t size) {
    CHECK(CU(cuMemAdvise_v2)(memory.address + begin, size, advice, device(0)) == CUDA_SUCCESS);
  };
  constexpr auto mostly_read = CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
  advise(CU_MEM_ADVISE_SET_READ_MOSTLY, 0, half);
  CHECK(told(mostly_read, 0, half) == 1);
  CHECK(told(mostly_read, half, half) == 0);
  CHECK(told(mostly_read, 0, bytes) == 0);
  CHECK(told(mostly_read, half - 1, 1) == 1);
  advise(CU_MEM_ADVISE_SET_READ_MOSTLY, half, half);
  CHECK(told(mostly_read, 0, bytes) == 1);
  // A few bytes stand for their page.
  advise(CU_MEM_ADVISE_UNSET_READ_MOSTLY, 100, 4);
  CHECK(told(mostly_read, 0, 4096) == 0);
  CHECK(told(mostly_read, 4096, half) == 1);

  constexpr auto preferred = CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION;
  advise(CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 0, half);
  CHECK(told(preferred, 0, half) == 0);
  CHECK(told(preferred, 0, bytes) == CU_DEVICE_INVALID);
  constexpr auto accessed = CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;
  advise(CU_MEM_ADVISE_SET_ACCESSED_BY, half, half);
  CHECK(told(accessed, half, half) == 0);
  CHECK(told(accessed, 0, bytes) == CU_DEVICE_INVALID);
  constexpr auto fetched = CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION;
  CHECK(CU(cuMemPrefetchAsync_v2)(memory.address, half, device(0), 0, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(nullptr) == CUDA_SUCCESS);
  CHECK(told(fetched, 0, half) == 0);
  CHECK(told(fetched, 0, bytes) == CU_DEVICE_INVALID);

  // All but the list of devices are single numbers.
  std::array<int, 2> two{};
  CHECK(CU(cuMemRangeGetAttribute)(two.data(), sizeof two, mostly_read, memory.address, bytes) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemRangeGetAttribute)(two.data(), sizeof two, accessed, memory.address, bytes) ==
        CUDA_SUCCESS);
  CHECK(CU(cuMemRangeGetAttribute)(two.data(), 6, accessed, memory.address, bytes) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("copies of a pointer's memory are asked to be done when their calls return") {
  const CurrentContext context;
  const DeviceBlock block(4096);
  const int wanted = 1, unwanted = 0;
  const auto told = [&](CUdeviceptr address) {
    unsigned value = 7;
    CHECK(CU(cuPointerGetAttribute)(&value, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address) ==
          CUDA_SUCCESS);
    return value;
  };
  // It is one of the block, whichever of its addresses is named.
  CHECK(CU(cuPointerSetAttribute)(&wanted, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
                                  block.address() + 100) == CUDA_SUCCESS);
  CHECK(told(block.address()) == 1);
  CHECK(CU(cuPointerSetAttribute)(&unwanted, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, block.address()) ==
        CUDA_SUCCESS);
  CHECK(told(block.address() + 8) == 0);
  CHECK(CU(cuPointerSetAttribute)(nullptr, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, block.address()) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuPointerSetAttribute)(&wanted, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, block.address()) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuPointerSetAttribute)(&wanted, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, 0x1234) ==
        CUDA_ERROR_INVALID_VALUE);
}
