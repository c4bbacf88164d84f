// SPDX-License-Identifier: MIT
// Limits of a context that kernels notice.
#include <doctest/doctest.h>

#include "driver/driver.h"

using namespace driver_test;

namespace {

constexpr const char* heap_ptx = R"(
.version 7.0
.target sm_52
.address_size 64
.extern .func (.param .b64 result) malloc(.param .b64 bytes);
.extern .func free(.param .b64 memory);

// *to = malloc(bytes)
.visible .entry take(.param .u64 to, .param .u64 bytes)
{
  .reg .u64 %rd<4>;
  ld.param.u64 %rd1, [to];
  ld.param.u64 %rd2, [bytes];
  {
    .param .b64 p;
    .param .b64 r;
    st.param.b64 [p], %rd2;
    call.uni (r), malloc, (p);
    ld.param.b64 %rd3, [r];
  }
  st.global.u64 [%rd1], %rd3;
  ret;
}

.visible .entry give(.param .u64 memory)
{
  .reg .u64 %rd1;
  ld.param.u64 %rd1, [memory];
  {
    .param .b64 p;
    st.param.b64 [p], %rd1;
    call.uni free, (p);
  }
  ret;
}
)";

}  // namespace

TEST_CASE("malloc of kernels gives null beyond the heap's limit, and memory again after free") {
  const CurrentContext context;
  constexpr size_t limit = size_t{16} << 20;
  REQUIRE(CU(cuCtxSetLimit)(CU_LIMIT_MALLOC_HEAP_SIZE, limit) == CUDA_SUCCESS);
  const LoadedModule module(heap_ptx);
  const DeviceBlock block(8);
  const auto take = [&](unsigned long long bytes) {
    CUdeviceptr to = block.address();
    unsigned long long given = 1;
    void* parameters[] = {&to, &bytes};
    REQUIRE(CU(cuLaunchKernel)(module.function("take"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters,
                               nullptr) == CUDA_SUCCESS);
    REQUIRE(CU(cuMemcpyDtoH_v2)(&given, to, 8) == CUDA_SUCCESS);
    return given;
  };
  const auto give = [&](unsigned long long memory) {
    void* parameters[] = {&memory};
    REQUIRE(CU(cuLaunchKernel)(module.function("give"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters,
                               nullptr) == CUDA_SUCCESS);
    REQUIRE(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  };
  CHECK(take(2 * limit) == 0);
  const unsigned long long first = take(limit * 3 / 4);
  REQUIRE(first != 0);
  CHECK(first % 16 == 0);
  CHECK(take(limit / 2) == 0);
  give(first);
  const unsigned long long second = take(limit / 2);
  CHECK(second != 0);
  give(second);
  give(0);
}

TEST_CASE("the limits of stacks and of printf's buffer can be set and read") {
  const CurrentContext context;
  for (const CUlimit limit : {CU_LIMIT_STACK_SIZE, CU_LIMIT_PRINTF_FIFO_SIZE}) {
    size_t before = 0, after = 0;
    REQUIRE(CU(cuCtxGetLimit)(&before, limit) == CUDA_SUCCESS);
    CHECK(before > 0);
    REQUIRE(CU(cuCtxSetLimit)(limit, 2 * before) == CUDA_SUCCESS);
    REQUIRE(CU(cuCtxGetLimit)(&after, limit) == CUDA_SUCCESS);
    CHECK(after >= 2 * before);
  }
  CHECK(CU(cuCtxSetLimit)(CU_LIMIT_STACK_SIZE, size_t{1} << 40) == CUDA_ERROR_INVALID_VALUE);
}
