// SPDX-License-Identifier: MIT
// The device run-time library's barrier of a grid, which compilers other than NVIDIA's call.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "driver/driver.h"

using namespace driver_test;

namespace {

// shift(x): each element becomes its right neighbour's, three times, by threads of all blocks.
constexpr const char* shift_ptx = R"(
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);
.extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);

.visible .entry shift(.param .u64 to)
{
  .reg .pred %p; .reg .b64 %rd<8>; .reg .b32 %r<12>;
  ld.param.u64 %rd1, [to];
  { .param .b32 s; .param .b64 r; st.param.b32 [s], 1;
    call.uni (r), cudaCGGetIntrinsicHandle, (s); ld.param.b64 %rd2, [r]; }
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mov.u32 %r5, %nctaid.x; mul.lo.u32 %r5, %r5, %r2;
  add.u32 %r6, %r4, 1; rem.u32 %r6, %r6, %r5;
  mul.wide.u32 %rd3, %r4, 4; add.u64 %rd3, %rd1, %rd3;
  mul.wide.u32 %rd4, %r6, 4; add.u64 %rd4, %rd1, %rd4;
  mov.u32 %r7, 0;
again:
  ld.volatile.u32 %r8, [%rd4];
  { .param .b64 h; .param .b32 f; .param .b32 r; st.param.b64 [h], %rd2; st.param.b32 [f], 0;
    call.uni (r), cudaCGSynchronize, (h, f); ld.param.b32 %r9, [r]; }
  add.u32 %r8, %r8, %r9;
  st.volatile.u32 [%rd3], %r8;
  { .param .b64 h; .param .b32 f; .param .b32 r; st.param.b64 [h], %rd2; st.param.b32 [f], 0;
    call.uni (r), cudaCGSynchronize, (h, f); }
  add.u32 %r7, %r7, 1;
  setp.lt.u32 %p, %r7, 3;
  @%p bra again;
  ret;
}
)";

CUfunction load_shift(CUmodule* module) {
  *module = load_with_device_runtime(shift_ptx);
  CUfunction shift = nullptr;
  REQUIRE(CU(cuModuleGetFunction)(&shift, *module, "shift") == CUDA_SUCCESS);
  return shift;
}

}  // namespace

TEST_CASE("blocks of a cooperative launch meet at the device run-time library's barrier") {
  if (device_runtime().empty()) return;
  const CurrentContext context;
  CUmodule module = nullptr;
  const CUfunction shift = load_shift(&module);
  for (const unsigned threads : {1U, 33U, 64U}) {
    constexpr unsigned blocks = 4;
    std::vector<std::uint32_t> values(std::size_t{blocks} * threads);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint32_t>(i);
    CUdeviceptr memory = 0;
    REQUIRE(CU(cuMemAlloc_v2)(&memory, values.size() * 4) == CUDA_SUCCESS);
    REQUIRE(CU(cuMemcpyHtoD_v2)(memory, values.data(), values.size() * 4) == CUDA_SUCCESS);
    void* arguments[] = {&memory};
    REQUIRE(CU(cuLaunchCooperativeKernel)(shift, blocks, 1, 1, threads, 1, 1, 0, nullptr,
                                          arguments) == CUDA_SUCCESS);
    REQUIRE(CU(cuMemcpyDtoH_v2)(values.data(), memory, values.size() * 4) == CUDA_SUCCESS);
    for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == (i + 3) % values.size());
    CU(cuMemFree_v2)(memory);
  }
  CU(cuModuleUnload)(module);
}

TEST_CASE("outside a cooperative launch that barrier is a fault") {
  if (!is_cpu_driver()) return;  // its faults stay in their context
  const CurrentContext context;
  CUmodule module = nullptr;
  const CUfunction shift = load_shift(&module);
  CUdeviceptr memory = 0;
  REQUIRE(CU(cuMemAlloc_v2)(&memory, 512) == CUDA_SUCCESS);
  void* arguments[] = {&memory};
  REQUIRE(CU(cuLaunchKernel)(shift, 2, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr) ==
          CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_ERROR_LAUNCH_FAILED);
}
