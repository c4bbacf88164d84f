// SPDX-License-Identifier: MIT
// Memory of other libraries: what is refused, and on the CPU driver files that can be mapped.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

#include "driver/driver.h"

using namespace driver_test;

namespace {

constexpr std::size_t bytes = std::size_t{64} << 10;

int file() {
  const int descriptor = memfd_create("external", MFD_CLOEXEC);
  REQUIRE(ftruncate(descriptor, bytes) == 0);
  return descriptor;
}

CUresult import(CUexternalMemory* memory, int descriptor, std::size_t size = bytes,
                CUexternalMemoryHandleType type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
                unsigned flags = 0) {
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
  description.type = type;
  description.handle.fd = descriptor;
  description.size = size;
  description.flags = flags;
  return CU(cuImportExternalMemory)(memory, &description);
}

CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer(std::size_t offset, std::size_t size) {
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC description{};
  description.offset = offset;
  description.size = size;
  return description;
}

}  // namespace

TEST_CASE("external memory that there cannot be is refused") {
  const CurrentContext context;
  CUexternalMemory memory = nullptr;
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
  CHECK(CU(cuImportExternalMemory)(&memory, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuImportExternalMemory)(nullptr, &description) == CUDA_ERROR_INVALID_VALUE);
  CHECK(import(&memory, -1, bytes, outside<CUexternalMemoryHandleType>(99)) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(import(&memory, -1) != CUDA_SUCCESS);
  CHECK(import(&memory, -1, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(memory == nullptr);
  if (!is_cpu_driver()) return;
  const int descriptor = file();
  CHECK(import(&memory, descriptor, 2 * bytes) == CUDA_ERROR_UNKNOWN);
  CHECK(import(&memory, descriptor, bytes, CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, 8) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(import(&memory, descriptor, bytes, CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP) ==
        CUDA_ERROR_NOT_SUPPORTED);
  close(descriptor);
  CHECK(CU(cuDestroyExternalMemory)(nullptr) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE("a file's memory is the device's too") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  const int descriptor = file();
  auto* const words = static_cast<std::uint32_t*>(
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0));
  CUexternalMemory memory = nullptr;
  REQUIRE(import(&memory, descriptor) == CUDA_SUCCESS);  // the descriptor is the driver's now
  const auto second_half = buffer(bytes / 2, bytes / 2);
  CUdeviceptr address = 0;
  REQUIRE(CU(cuExternalMemoryGetMappedBuffer)(&address, memory, &second_half) == CUDA_SUCCESS);
  CHECK(CU(cuMemsetD32_v2)(address, 77, 4) == CUDA_SUCCESS);
  CHECK(words[bytes / 8] == 77);
  words[bytes / 8 + 1] = 88;
  std::uint32_t seen = 0;
  CHECK(CU(cuMemcpyDtoH_v2)(&seen, address + 4, 4) == CUDA_SUCCESS);
  CHECK(seen == 88);
  for (const auto& wrong : {buffer(0, 0), buffer(bytes, 1), buffer(1, bytes)})
    CHECK(CU(cuExternalMemoryGetMappedBuffer)(&address, memory, &wrong) ==
          CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuExternalMemoryGetMappedBuffer)(&address, memory, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuDestroyExternalMemory)(memory) == CUDA_SUCCESS);
  CHECK(CU(cuExternalMemoryGetMappedBuffer)(&address, memory, &second_half) ==
        CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuMemcpyDtoH_v2)(&seen, address, 4) == CUDA_SUCCESS);  // what is mapped stays
  CHECK(seen == 77);
  CHECK(CU(cuMemFree_v2)(address) == CUDA_SUCCESS);
  munmap(words, bytes);
}

TEST_CASE("a file's memory is a mipmapped array") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  CUexternalMemory memory = nullptr;
  REQUIRE(import(&memory, file()) == CUDA_SUCCESS);
  CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC description{};
  description.arrayDesc.Width = description.arrayDesc.Height = 16;
  description.arrayDesc.Format = CU_AD_FORMAT_FLOAT;
  description.arrayDesc.NumChannels = 1;
  description.numLevels = 3;
  CUmipmappedArray array = nullptr;
  REQUIRE(CU(cuExternalMemoryGetMappedMipmappedArray)(&array, memory, &description) ==
          CUDA_SUCCESS);
  CUarray level = nullptr;
  REQUIRE(CU(cuMipmappedArrayGetLevel)(&level, array, 2) == CUDA_SUCCESS);
  const std::vector<float> row{1, 2, 3, 4};
  CHECK(CU(cuMemcpyHtoA_v2)(level, 0, row.data(), 16) == CUDA_SUCCESS);
  std::vector<float> found(4);
  CHECK(CU(cuMemcpyAtoH_v2)(found.data(), level, 0, 16) == CUDA_SUCCESS);
  CHECK(found == row);
  CHECK(CU(cuMipmappedArrayDestroy)(array) == CUDA_SUCCESS);
  description.numLevels = 0;
  CHECK(CU(cuExternalMemoryGetMappedMipmappedArray)(&array, memory, &description) ==
        CUDA_ERROR_INVALID_VALUE);
  description.numLevels = 1;
  description.arrayDesc.Width = 4096;
  CHECK(CU(cuExternalMemoryGetMappedMipmappedArray)(&array, memory, &description) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuDestroyExternalMemory)(memory) == CUDA_SUCCESS);
}
