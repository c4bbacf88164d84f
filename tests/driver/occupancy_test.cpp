// SPDX-License-Identifier: MIT
// How many blocks of a kernel a multiprocessor holds, and what they leave of shared memory.
#include <doctest/doctest.h>

#include "driver/driver.h"
#include "driver/kernels.h"

using namespace driver_test;

TEST_CASE("flags of occupancy change nothing here") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const CUfunction function = module.function("empty");
  int plain = 0, with_flags = 0;
  CHECK(CU(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&plain, function, 128, 0) == CUDA_SUCCESS);
  for (const unsigned flags : {0u, unsigned{CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE}}) {
    CHECK(CU(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(&with_flags, function, 128, 0,
                                                                   flags) == CUDA_SUCCESS);
    CHECK(with_flags == plain);
  }
  CHECK(plain > 0);
  CHECK(CU(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(&plain, function, 128, 0, 8) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(&plain, function, 0, 0, 0) ==
        CUDA_ERROR_INVALID_VALUE);
  int grid = 0, block = 0;
  CHECK(CU(cuOccupancyMaxPotentialBlockSizeWithFlags)(&grid, &block, function, nullptr, 0, 64, 0) ==
        CUDA_SUCCESS);
  CHECK(block == 64);
  CHECK(grid > 0);
  CHECK(CU(cuOccupancyMaxPotentialBlockSizeWithFlags)(&grid, &block, function, nullptr, 0, 64, 8) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("blocks that share a multiprocessor have less shared memory each") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const CUfunction function = module.function("empty");
  std::size_t of_one = 0, of_four = 0, of_many = 1;
  CHECK(CU(cuOccupancyAvailableDynamicSMemPerBlock)(&of_one, function, 1, 128) == CUDA_SUCCESS);
  CHECK(CU(cuOccupancyAvailableDynamicSMemPerBlock)(&of_four, function, 4, 128) == CUDA_SUCCESS);
  CHECK(of_one >= of_four);
  CHECK(of_four > 0);
  int blocks = 0;
  CHECK(CU(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&blocks, function, 128, of_four) ==
        CUDA_SUCCESS);
  CHECK(blocks >= 4);
  if (is_cpu_driver()) {
    CHECK(CU(cuOccupancyAvailableDynamicSMemPerBlock)(&of_many, function, 1000, 128) ==
          CUDA_SUCCESS);
    CHECK(of_many == 0);
    // NVIDIA's driver writes through the null pointer.
    CHECK(CU(cuOccupancyAvailableDynamicSMemPerBlock)(nullptr, function, 1, 128) ==
          CUDA_ERROR_INVALID_VALUE);
  }
  CHECK(CU(cuOccupancyAvailableDynamicSMemPerBlock)(&of_one, function, 0, 128) ==
        CUDA_ERROR_INVALID_VALUE);
}
