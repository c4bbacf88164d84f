// SPDX-License-Identifier: MIT
// A context that ends while other threads use it and what it owns: their calls end with a result.
#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "driver/driver.h"

using namespace driver_test;

namespace {

constexpr const char* no_work_ptx = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry no_work() { ret; }
)";

/// Whether the call did its work, or says that what it was given went with its context.
bool is_expected(CUresult result) {
  static const std::set<CUresult> expected{CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE,
                                           CUDA_ERROR_INVALID_HANDLE,
                                           CUDA_ERROR_CONTEXT_IS_DESTROYED};
  return expected.contains(result);
}

struct PrimaryContext {
  PrimaryContext() {
    CHECK(CU(cuDevicePrimaryCtxRetain)(&handle, 0) == CUDA_SUCCESS);
    CHECK(CU(cuCtxSetCurrent)(handle) == CUDA_SUCCESS);
  }
  ~PrimaryContext() { CHECK(CU(cuDevicePrimaryCtxRelease_v2)(0) == CUDA_SUCCESS); }
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  CUcontext handle = nullptr;
};

/// Makes, uses and ends one object of each kind; the memory ends with its context, since its
/// address may be another's by then. The context may go between any two calls. How many results
/// were none of the expected.
unsigned use_everything(CUkernel kernel) {
  unsigned wrong = 0;
  const auto call = [&](CUresult result) {
    wrong += !is_expected(result);
    return result == CUDA_SUCCESS;
  };
  CUstream stream = nullptr;
  CUevent begin = nullptr, end = nullptr;
  CUdeviceptr memory = 0;
  CUfunction function = nullptr;
  unsigned seen = 0;
  float milliseconds = 0;
  if (!call(CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING)) ||
      !call(CU(cuEventCreate)(&begin, CU_EVENT_DEFAULT)) ||
      !call(CU(cuEventCreate)(&end, CU_EVENT_DEFAULT)) || !call(CU(cuMemAlloc_v2)(&memory, 64)))
    return wrong;
  call(CU(cuEventRecord)(begin, stream));
  if (call(CU(cuKernelGetFunction)(&function, kernel)))
    call(CU(cuLaunchKernel)(function, 4, 1, 1, 64, 1, 1, 0, stream, nullptr, nullptr));
  call(CU(cuMemsetD32Async)(memory, 7, 16, stream));
  call(CU(cuEventRecord)(end, stream));
  call(CU(cuEventSynchronize)(end));
  call(CU(cuEventElapsedTime)(&milliseconds, begin, end));
  call(CU(cuMemcpyDtoH_v2)(&seen, memory, 4));
  const CUresult query = CU(cuStreamQuery)(stream);
  wrong += query != CUDA_ERROR_NOT_READY && !is_expected(query);
  call(CU(cuEventQuery)(end));
  call(CU(cuStreamWaitEvent)(stream, end, 0));
  call(CU(cuStreamSynchronize)(stream));
  call(CU(cuEventDestroy_v2)(begin));
  call(CU(cuEventDestroy_v2)(end));
  call(CU(cuStreamDestroy_v2)(stream));
  return wrong;
}

}  // namespace

TEST_CASE("a primary context may be reset while other threads use it") {
  if (!is_cpu_driver()) return;  // NVIDIA's leaves it to the program that nobody does
  initialise();
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  REQUIRE(CU(cuLibraryLoadData)(&library, no_work_ptx, nullptr, nullptr, 0, nullptr, nullptr, 0) ==
          CUDA_SUCCESS);
  REQUIRE(CU(cuLibraryGetKernel)(&kernel, library, "no_work") == CUDA_SUCCESS);
  constexpr unsigned rounds = 300, users = 4;
  std::atomic<unsigned> wrong{0}, at_work{users};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < users; ++i) {
    threads.emplace_back([&] {
      for (unsigned round = 0; round < rounds; ++round) {
        const PrimaryContext context;
        wrong += use_everything(kernel);
      }
      --at_work;
    });
  }
  unsigned resets = 0;
  while (at_work.load() != 0) {
    CHECK(CU(cuDevicePrimaryCtxReset_v2)(0) == CUDA_SUCCESS);
    ++resets;
    std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(resets > 0);
  // What comes after is as ever, in the context of the same handle and without one.
  {
    const PrimaryContext context;
    CHECK(use_everything(kernel) == 0);
    CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  }
  CHECK(CU(cuLibraryUnload)(library) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSetCurrent)(nullptr) == CUDA_SUCCESS);
}

TEST_CASE("a library may be unloaded while its modules go with their contexts") {
  if (!is_cpu_driver()) return;
  initialise();
  constexpr unsigned rounds = 200;
  for (unsigned round = 0; round < rounds; ++round) {
    CUlibrary library = nullptr;
    CUmodule module = nullptr;
    REQUIRE(CU(cuLibraryLoadData)(&library, no_work_ptx, nullptr, nullptr, 0, nullptr, nullptr,
                                  0) == CUDA_SUCCESS);
    const PrimaryContext context;
    REQUIRE(CU(cuLibraryGetModule)(&module, library) == CUDA_SUCCESS);
    std::atomic<int> begun{0};
    const auto begin = [&] {
      ++begun;
      while (begun.load() != 2) {
      }
    };
    CUresult reset = CUDA_ERROR_UNKNOWN, unloaded = CUDA_ERROR_UNKNOWN;
    std::thread other([&] {
      begin();
      reset = CU(cuDevicePrimaryCtxReset_v2)(0);
    });
    begin();
    unloaded = CU(cuLibraryUnload)(library);
    other.join();
    CHECK(reset == CUDA_SUCCESS);
    CHECK(unloaded == CUDA_SUCCESS);
  }
  CHECK(CU(cuCtxSetCurrent)(nullptr) == CUDA_SUCCESS);
}
