// SPDX-License-Identifier: MIT
// Settings of a context, and the calls of before CUDA 4 that count its users.
#include <doctest/doctest.h>

#include "driver/driver.h"

using namespace driver_test;

// Of cudaProfiler.h.
extern "C" {
CUresult cuProfilerStart();
CUresult cuProfilerStop();
}

TEST_CASE("flags of a context change while it lives") {
  const CurrentContext context(CU_CTX_SCHED_SPIN);
  unsigned flags = 0;
  CHECK(CU(cuCtxSetFlags)(CU_CTX_SCHED_YIELD) == CUDA_SUCCESS);
  CHECK(CU(cuCtxGetFlags)(&flags) == CUDA_SUCCESS);
  CHECK((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_YIELD);
  CHECK(CU(cuCtxSetFlags)(1u << 30) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a context waits in one way") {
  const CurrentContext context;
  constexpr unsigned two = CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD;
  CUcontext made = nullptr;
  CHECK(CU(cuCtxCreate_v2)(&made, two, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuCtxSetFlags)(two) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuDevicePrimaryCtxSetFlags_v2)(0, two) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("banks of shared memory stay as wide as they are") {
  const CurrentContext context;
  CUsharedconfig banks{};
  CHECK(CU(cuCtxSetSharedMemConfig)(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE) == CUDA_SUCCESS);
  CHECK(CU(cuCtxGetSharedMemConfig)(&banks) == CUDA_SUCCESS);
  CHECK(banks == CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
  CHECK(CU(cuCtxGetSharedMemConfig)(nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuCtxSetSharedMemConfig)(outside<CUsharedconfig>(9)) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a context tells its device, and what it keeps in the cache is given up") {
  const CurrentContext context;
  CHECK(CU(cuCtxResetPersistingL2Cache)() == CUDA_SUCCESS);
  if (!has_symbol("cuCtxGetDevice_v2")) return;  // before CUDA 13
  CUdevice device = -1;
  CHECK(CU(cuCtxGetDevice_v2)(&device, context.handle()) == CUDA_SUCCESS);
  CHECK(device == 0);
  device = -1;
  CHECK(CU(cuCtxGetDevice_v2)(&device, nullptr) == CUDA_SUCCESS);
  CHECK(device == 0);
  CHECK(CU(cuCtxGetDevice_v2)(nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("users of a context are counted") {
  const CurrentContext context;
  CUcontext same = nullptr;
  REQUIRE(CU(cuCtxAttach)(&same, 0) == CUDA_SUCCESS);
  CHECK(same == context.handle());
  CHECK(CU(cuCtxDetach)(same) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  CHECK(CU(cuCtxAttach)(&same, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuCtxAttach)(nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a context is made with parameters") {
  if (!has_symbol("cuCtxCreate_v4")) return;  // before CUDA 12.5
  initialise();
  CUcontext made = nullptr;
  CHECK(CU(cuCtxCreate_v4)(&made, nullptr, CU_CTX_SCHED_YIELD, 0) == CUDA_SUCCESS);
  unsigned flags = 0;
  CHECK(CU(cuCtxGetFlags)(&flags) == CUDA_SUCCESS);
  CHECK((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_YIELD);
  CHECK(CU(cuCtxDestroy_v2)(made) == CUDA_SUCCESS);
  CHECK(CU(cuCtxCreate_v4)(nullptr, nullptr, 0, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuCtxCreate_v4)(&made, nullptr, 0, 99) == CUDA_ERROR_INVALID_DEVICE);
  if (!is_cpu_driver()) return;
  CUexecAffinityParam affinity{};
  affinity.type = CU_EXEC_AFFINITY_TYPE_SM_COUNT;
  affinity.param.smCount.val = 1;
  CUctxCreateParams parameters{};
  parameters.execAffinityParams = &affinity;
  parameters.numExecAffinityParams = 1;
  CHECK(CU(cuCtxCreate_v4)(&made, &parameters, 0, 0) == CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
}

TEST_CASE("a context waits for an event") {
  const CurrentContext context;
  CUevent event = nullptr;
  REQUIRE(CU(cuEventCreate)(&event, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(event, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuCtxWaitEvent)(context.handle(), event) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  CHECK(CU(cuCtxWaitEvent)(context.handle(), nullptr) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuEventDestroy_v2)(event) == CUDA_SUCCESS);
}

TEST_CASE("a profiler's region has a beginning and an end") {
  const CurrentContext context;
  CHECK(CU(cuProfilerStart)() == CUDA_SUCCESS);
  CHECK(CU(cuProfilerStop)() == CUDA_SUCCESS);
  CUcontext before = nullptr;
  REQUIRE(CU(cuCtxPopCurrent_v2)(&before) == CUDA_SUCCESS);
  CHECK(CU(cuProfilerStart)() == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(CU(cuProfilerStop)() == CUDA_ERROR_INVALID_CONTEXT);
  REQUIRE(CU(cuCtxPushCurrent_v2)(before) == CUDA_SUCCESS);
}
