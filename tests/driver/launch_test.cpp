// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "driver/driver.h"
#include "driver/kernels.h"

using namespace driver_test;

namespace {

CUresult launch(CUfunction function, unsigned grid, unsigned block, unsigned shared,
                void** parameters) {
  return CU(cuLaunchKernel)(function, grid, 1, 1, block, 1, 1, shared, nullptr, parameters,
                            nullptr);
}

unsigned read_word(CUdeviceptr from) {
  unsigned value = 0;
  REQUIRE(CU(cuMemcpyDtoH_v2)(&value, from, 4) == CUDA_SUCCESS);
  return value;
}

}  // namespace

TEST_CASE("a kernel runs once for each thread of its grid") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  constexpr unsigned count = 10000;
  const DeviceBlock block(count * 4);
  CUdeviceptr to = block.address();
  unsigned wanted = count - 1;
  unsigned value = 0xabcd;
  void* parameters[] = {&to, &wanted, &value};
  REQUIRE(CU(cuMemsetD32_v2)(to, 1, count) == CUDA_SUCCESS);
  REQUIRE(launch(module.function("fill"), (count + 127) / 128, 128, 0, parameters) == CUDA_SUCCESS);
  std::vector<unsigned> seen(count);
  REQUIRE(CU(cuMemcpyDtoH_v2)(seen.data(), to, count * 4) == CUDA_SUCCESS);
  for (unsigned i = 0; i < count - 1; ++i) REQUIRE(seen[i] == 0xabcd);
  CHECK(seen[count - 1] == 1);
}

TEST_CASE("parameters can come packed in a buffer") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(4);
  const CUfunction function = module.function("store");
  std::array<char, 4096> buffer{};
  const CUdeviceptr to = block.address();
  const unsigned value = 77;
  std::memcpy(buffer.data(), &to, 8);
  std::memcpy(buffer.data() + 8, &value, 4);
  const auto with_size = [&](size_t bytes) {
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &bytes, CU_LAUNCH_PARAM_END};
    return CU(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra);
  };
  REQUIRE(with_size(12) == CUDA_SUCCESS);
  CHECK(read_word(to) == 77);
  CHECK(with_size(13) == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  CHECK(with_size(4096) == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  CHECK(with_size(0) == CUDA_ERROR_INVALID_VALUE);
  void* unknown[] = {reinterpret_cast<void*>(size_t{7}), nullptr, CU_LAUNCH_PARAM_END};
  CHECK(CU(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, unknown) ==
        CUDA_ERROR_INVALID_VALUE);
  void* nothing[] = {CU_LAUNCH_PARAM_END};
  CHECK(CU(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nothing) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuLaunchKernel)(module.function("empty"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr,
                           nothing) == CUDA_SUCCESS);
}

TEST_CASE("parameters are taken at the call") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(4);
  CUdeviceptr to = block.address();
  unsigned value = 5;
  void* parameters[] = {&to, &value};
  REQUIRE(launch(module.function("store"), 1, 1, 0, parameters) == CUDA_SUCCESS);
  value = 6;
  CHECK(read_word(to) == 5);
}

TEST_CASE("a kernel sees the shape of its launch") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(24);
  CUdeviceptr to = block.address();
  void* parameters[] = {&to};
  REQUIRE(CU(cuLaunchKernel)(module.function("shape"), 3, 4, 5, 6, 7, 2, 0, nullptr, parameters,
                             nullptr) == CUDA_SUCCESS);
  std::array<unsigned, 6> seen{};
  REQUIRE(CU(cuMemcpyDtoH_v2)(seen.data(), to, 24) == CUDA_SUCCESS);
  CHECK(seen == std::array<unsigned, 6>{3, 4, 5, 6, 7, 2});
}

TEST_CASE("dynamic shared memory and barriers work together") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  constexpr unsigned threads = 256;
  const DeviceBlock block(threads * 4);
  CUdeviceptr to = block.address();
  void* parameters[] = {&to};
  REQUIRE(launch(module.function("reverse"), 1, threads, threads * 4, parameters) == CUDA_SUCCESS);
  std::vector<unsigned> seen(threads);
  REQUIRE(CU(cuMemcpyDtoH_v2)(seen.data(), to, threads * 4) == CUDA_SUCCESS);
  for (unsigned i = 0; i < threads; ++i) CHECK(seen[i] == threads - 1 - i);
}

TEST_CASE("launches outside of the limits are refused") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const CUfunction empty = module.function("empty");
  const auto shape = [&](unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                         unsigned bz) {
    return CU(cuLaunchKernel)(empty, gx, gy, gz, bx, by, bz, 0, nullptr, nullptr, nullptr);
  };
  CHECK(shape(1, 1, 1, 1024, 1, 1) == CUDA_SUCCESS);
  CHECK(shape(0, 1, 1, 1, 1, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(shape(1, 1, 1, 0, 1, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(shape(1, 1, 1, 1025, 1, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(shape(1, 1, 1, 1, 1, 65) == CUDA_ERROR_INVALID_VALUE);
  CHECK(shape(1, 1, 1, 32, 33, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(shape(1, 65536, 1, 1, 1, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(shape(0x80000000u, 1, 1, 1, 1, 1) == CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr to = 0;
  void* parameters[] = {&to};
  CHECK(launch(module.function("at_most_128"), 1, 128, 0, parameters) == CUDA_SUCCESS);
  CHECK(launch(module.function("at_most_128"), 1, 129, 0, parameters) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(module.function("exactly_64"), 1, 64, 0, nullptr) == CUDA_SUCCESS);
  CHECK(launch(module.function("exactly_64"), 1, 63, 0, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(nullptr, 1, 1, 0, nullptr) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(launch(module.function("store"), 1, 1, 0, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
}

TEST_CASE("shared memory beyond 48 KiB has to be asked for first") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(4096);
  CUdeviceptr to = block.address();
  void* parameters[] = {&to};
  const CUfunction function = module.function("with_static_shared");
  CHECK(launch(function, 1, 1, 47 * 1024, parameters) == CUDA_SUCCESS);
  CHECK(launch(function, 1, 1, 48 * 1024, parameters) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuFuncSetAttribute)(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               80 * 1024) == CUDA_SUCCESS);
  CHECK(launch(function, 1, 1, 80 * 1024, parameters) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  CHECK(read_word(to) == 5);
}

TEST_CASE("cuLaunchKernelEx knows its attributes") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const CUfunction empty = module.function("empty");
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  CUlaunchAttribute attribute{};
  CHECK(CU(cuLaunchKernelEx)(&config, empty, nullptr, nullptr) == CUDA_SUCCESS);
  config.attrs = &attribute;
  config.numAttrs = 1;
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute.value.cooperative = 1;
  CHECK(CU(cuLaunchKernelEx)(&config, empty, nullptr, nullptr) == CUDA_SUCCESS);
  attribute.id = outside<CUlaunchAttributeID>(99);
  CHECK(CU(cuLaunchKernelEx)(&config, empty, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuLaunchKernelEx)(nullptr, empty, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
}

TEST_CASE("a cooperative launch that cannot be resident as a whole is refused") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const CUfunction empty = module.function("empty");
  CHECK(CU(cuLaunchCooperativeKernel)(empty, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr) ==
        CUDA_SUCCESS);
  CHECK(CU(cuLaunchCooperativeKernel)(empty, 1 << 20, 1, 1, 32, 1, 1, 0, nullptr, nullptr) ==
        CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
}

TEST_CASE("a launch can still be built up in steps") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(4);
  CUdeviceptr to = block.address();
  const CUfunction function = module.function("store");
  CHECK(CU(cuFuncSetBlockShape)(function, 1, 1, 1) == CUDA_SUCCESS);
  CHECK(CU(cuParamSetSize)(function, 12) == CUDA_SUCCESS);
  CHECK(CU(cuParamSetv)(function, 0, &to, 8) == CUDA_SUCCESS);
  CHECK(CU(cuParamSeti)(function, 8, 1234) == CUDA_SUCCESS);
  CHECK(CU(cuLaunch)(function) == CUDA_SUCCESS);
  CHECK(read_word(to) == 1234);
  CHECK(CU(cuParamSeti)(function, 8, 4321) == CUDA_SUCCESS);
  CHECK(CU(cuLaunchGrid)(function, 2, 2) == CUDA_SUCCESS);
  CHECK(read_word(to) == 4321);
  CHECK(CU(cuFuncSetBlockShape)(function, 1025, 1, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuFuncSetBlockShape)(function, 0, 1, 1) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a kernel of one context does not run in another") {
  const CurrentContext first;
  const LoadedModule module(kernels_ptx);
  const CUfunction empty = module.function("empty");
  {
    const CurrentContext second;
    CHECK(launch(empty, 1, 1, 0, nullptr) == CUDA_ERROR_INVALID_HANDLE);
  }
  CHECK(launch(empty, 1, 1, 0, nullptr) == CUDA_SUCCESS);
}

TEST_CASE("occupancy follows the block's size and the kernel's needs") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const CUfunction empty = module.function("empty");
  const auto blocks = [&](CUfunction function, int threads, size_t shared) {
    int count = -1;
    REQUIRE(CU(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&count, function, threads, shared) ==
            CUDA_SUCCESS);
    return count;
  };
  int per_processor = 0;
  REQUIRE(CU(cuDeviceGetAttribute)(&per_processor,
                                   CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
                                   0) == CUDA_SUCCESS);
  CHECK(blocks(empty, 128, 0) == per_processor / 128);
  CHECK(blocks(empty, 1024, 0) == per_processor / 1024);
  CHECK(blocks(empty, 2048, 0) == 0);
  CHECK(blocks(empty, 128, 1 << 20) == 0);
  CHECK(blocks(empty, 32, 40 * 1024) < blocks(empty, 32, 0));
  if (is_cpu_driver()) CHECK(blocks(module.function("with_static_shared"), 32, SIZE_MAX) == 0);
  int count = 0;
  CHECK(CU(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&count, empty, 0, 0) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuOccupancyMaxActiveBlocksPerMultiprocessor)(nullptr, empty, 32, 0) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&count, nullptr, 32, 0) ==
        CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE("the suggested block size fills the device") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  int grid = 0;
  int block = 0;
  REQUIRE(CU(cuOccupancyMaxPotentialBlockSize)(&grid, &block, module.function("empty"), nullptr, 0,
                                               0) == CUDA_SUCCESS);
  CHECK(block == 1024);
  CHECK(grid >= 1);
  REQUIRE(CU(cuOccupancyMaxPotentialBlockSize)(&grid, &block, module.function("at_most_128"),
                                               nullptr, 0, 0) == CUDA_SUCCESS);
  CHECK(block == 128);
  // 512 bytes of shared memory a thread: blocks must be small for two to fit.
  const auto shared_of = [](int threads) -> size_t { return static_cast<size_t>(threads) * 512; };
  REQUIRE(CU(cuOccupancyMaxPotentialBlockSize)(&grid, &block, module.function("empty"), shared_of,
                                               0, 0) == CUDA_SUCCESS);
  CHECK(block >= 32);
  CHECK(block < 1024);
}

TEST_CASE("a launch does not wait for a kernel that loops, not even the first") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(4);
  CUdeviceptr to = block.address();
  unsigned rounds = 200'000'000;
  void* parameters[] = {&to, &rounds};
  const CUfunction function = module.function("count_rounds");
  REQUIRE(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  REQUIRE(launch(function, 1, 1, 0, parameters) == CUDA_SUCCESS);
  CHECK(CU(cuStreamQuery)(nullptr) == CUDA_ERROR_NOT_READY);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
}
