// SPDX-License-Identifier: MIT
// Decompression of blocks in device memory, where the device has it.
#include <doctest/doctest.h>

#include <array>
#include <string>

#include "driver/driver.h"

using namespace driver_test;

namespace {

int algorithms() {
  int mask = 0;
  CU(cuDeviceGetAttribute)(&mask, CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK, 0);
  return mask;
}

/// Room for a block, for its data, and for the number of bytes.
struct Job {
  DeviceBlock from{4096}, to{4096}, told{4};

  CUmemDecompressParams params(CUmemDecompressAlgorithm algorithm, const std::string& block) const {
    CU(cuMemcpyHtoD_v2)(from.address(), block.data(), block.size());
    CUmemDecompressParams made{};
    made.srcNumBytes = block.size();
    made.dstNumBytes = 4096;
    made.dstActBytes = reinterpret_cast<cuuint32_t*>(told.address());
    made.src = reinterpret_cast<const void*>(from.address());
    made.dst = reinterpret_cast<void*>(to.address());
    made.algo = algorithm;
    return made;
  }
  std::string data() const {
    unsigned size = 0;
    CU(cuMemcpyDtoH_v2)(&size, told.address(), sizeof size);
    std::string found(size, '\0');
    CU(cuMemcpyDtoH_v2)(found.data(), to.address(), size);
    return found;
  }
};

/// "aaaaaaaaaaaa" (twelve), then "bcdef".
const std::string text = "aaaaaaaaaaaabcdef";
const std::string in_lz4 = {'\x17', 'a', 1, 0, '\x50', 'b', 'c', 'd', 'e', 'f'};
const std::string in_snappy = {'\x11', 0, 'a', '\x1d', 1, '\x10', 'b', 'c', 'd', 'e', 'f'};

}  // namespace

TEST_CASE("devices without decompression refuse it") {
  const CurrentContext context;
  if (algorithms() != 0) return;
  const Job job;
  CUmemDecompressParams params = job.params(CU_MEM_DECOMPRESS_ALGORITHM_LZ4, in_lz4);
  std::size_t failed = 0;
  CHECK(CU(cuMemBatchDecompressAsync)(&params, 1, 0, &failed, nullptr) == CUDA_ERROR_NOT_SUPPORTED);
}

TEST_CASE("a batch of blocks is decompressed") {
  const CurrentContext context;
  constexpr int all = CU_MEM_DECOMPRESS_ALGORITHM_LZ4 | CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY;
  if ((algorithms() & all) != all) return;
  const Job first, second;
  std::array params{first.params(CU_MEM_DECOMPRESS_ALGORITHM_LZ4, in_lz4),
                    second.params(CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY, in_snappy)};
  CHECK(CU(cuMemBatchDecompressAsync)(params.data(), params.size(), 0, nullptr, nullptr) ==
        CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  CHECK(first.data() == text);
  CHECK(second.data() == text);
}

TEST_CASE("wrong decompressions are refused with their place in the batch") {
  const CurrentContext context;
  if ((algorithms() & CU_MEM_DECOMPRESS_ALGORITHM_LZ4) == 0) return;
  const Job job;
  const CUmemDecompressParams right = job.params(CU_MEM_DECOMPRESS_ALGORITHM_LZ4, in_lz4);
  const auto refuses = [&](auto&& change) {
    std::array params{right, right};
    change(params[1]);
    std::size_t failed = 99;
    const CUresult status =
        CU(cuMemBatchDecompressAsync)(params.data(), params.size(), 0, &failed, nullptr);
    return status == CUDA_ERROR_INVALID_VALUE && failed == 1;
  };
  CHECK(refuses([](CUmemDecompressParams& one) { one.srcNumBytes = 0; }));
  CHECK(refuses([](CUmemDecompressParams& one) { one.src = nullptr; }));
  CHECK(refuses([](CUmemDecompressParams& one) { one.dst = nullptr; }));
  CHECK(refuses([](CUmemDecompressParams& one) { one.dstActBytes = nullptr; }));
  CHECK(refuses([](CUmemDecompressParams& one) { one.algo = CU_MEM_DECOMPRESS_UNSUPPORTED; }));
  CHECK(refuses([](CUmemDecompressParams& one) { one.padding[3] = 1; }));
  CUmemDecompressParams params = right;
  CHECK(CU(cuMemBatchDecompressAsync)(nullptr, 1, 0, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemBatchDecompressAsync)(&params, 1, 7, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
}
