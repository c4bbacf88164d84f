// SPDX-License-Identifier: MIT
// Many threads, streams, events and contexts at once: what each computes is its own.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "driver/driver.h"
#include "driver/kernels.h"

using namespace driver_test;

namespace {

// Every block adds 1 to *count and waits until all have: the blocks of a grid meet `rounds` times.
constexpr const char* meeting_ptx = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry meet(.param .u64 count, .param .u32 rounds)
{
  .reg .u64 %rd1;
  .reg .u32 %r<8>;
  .reg .pred %p<3>;
  ld.param.u64 %rd1, [count];
  ld.param.u32 %r1, [rounds];
  mov.u32 %r2, %nctaid.x;
  mov.u32 %r3, %tid.x;
  setp.ne.u32 %p1, %r3, 0;
  mov.u32 %r4, 0;
round:
  add.u32 %r4, %r4, %r2;
  bar.sync 0;
  @%p1 bra together;
  atom.add.acq_rel.gpu.global.u32 %r5, [%rd1], 1;
wait:
  ld.acquire.gpu.global.u32 %r6, [%rd1];
  setp.lt.u32 %p2, %r6, %r4;
  @%p2 bra wait;
together:
  bar.sync 0;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p2, %r1, 0;
  @%p2 bra round;
  ret;
}
)";

void fill(CUfunction function, CUstream stream, CUdeviceptr to, unsigned count, unsigned value) {
  void* parameters[] = {&to, &count, &value};
  CHECK(CU(cuLaunchKernel)(function, (count + 63) / 64, 1, 1, 64, 1, 1, 0, stream, parameters,
                           nullptr) == CUDA_SUCCESS);
}

void step(CUfunction function, CUstream stream, CUdeviceptr to) {
  void* parameters[] = {&to};
  CHECK(CU(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr) ==
        CUDA_SUCCESS);
}

/// What one thread does on streams of its own: two chains of kernels that wait for one another
/// through events, then copies. Returns the errors it saw.
unsigned work(CUfunction fill_function, CUfunction step_function, unsigned seed) {
  constexpr unsigned count = 1000, rounds = 12;
  unsigned wrong = 0;
  CUstream streams[2] = {};
  CUevent events[2] = {};
  CUdeviceptr memory = 0;
  for (CUstream& stream : streams)
    wrong += CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS;
  for (CUevent& event : events)
    wrong += CU(cuEventCreate)(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS;
  wrong += CU(cuMemAlloc_v2)(&memory, 4 * count) != CUDA_SUCCESS;
  if (wrong != 0) return wrong;
  fill(fill_function, streams[0], memory, count, seed);
  unsigned expected = seed;
  for (unsigned round = 0; round < rounds; ++round) {
    const CUstream from = streams[round % 2], to = streams[(round + 1) % 2];
    const CUevent event = events[round % 2];
    wrong += CU(cuEventRecord)(event, from) != CUDA_SUCCESS;
    wrong += CU(cuStreamWaitEvent)(to, event, 0) != CUDA_SUCCESS;
    step(step_function, to, memory);
    expected = expected * 7 + 1;
  }
  std::vector<unsigned> seen(count);
  const CUstream last = streams[rounds % 2];
  wrong += CU(cuMemcpyDtoHAsync_v2)(seen.data(), memory, 4 * count, last) != CUDA_SUCCESS;
  wrong += CU(cuStreamSynchronize)(last) != CUDA_SUCCESS;
  wrong += seen[0] != expected;
  for (unsigned i = 1; i < count; ++i) wrong += seen[i] != seed;
  wrong += CU(cuMemFree_v2)(memory) != CUDA_SUCCESS;
  for (const CUevent event : events) wrong += CU(cuEventDestroy_v2)(event) != CUDA_SUCCESS;
  for (const CUstream stream : streams) wrong += CU(cuStreamDestroy_v2)(stream) != CUDA_SUCCESS;
  return wrong;
}

template <class Body>
unsigned in_threads(unsigned count, Body body) {
  std::atomic<unsigned> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i) threads.emplace_back([&, i] { wrong += body(i); });
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

}  // namespace

TEST_CASE("threads that share a context do not disturb one another") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const CUfunction fill_function = module.function("fill");
  const CUfunction step_function = module.function("step");
  CHECK(in_threads(6, [&](unsigned number) {
          unsigned wrong = CU(cuCtxSetCurrent)(context.handle()) != CUDA_SUCCESS;
          for (unsigned round = 0; round < 5; ++round)
            wrong += work(fill_function, step_function, 1000 * number + round);
          return wrong;
        }) == 0);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
}

TEST_CASE("threads with contexts, modules and streams of their own work side by side") {
  initialise();
  CHECK(in_threads(6, [&](unsigned number) {
          unsigned wrong = 0;
          for (unsigned round = 0; round < 3; ++round) {
            const CurrentContext context;
            const LoadedModule module(kernels_ptx);
            wrong += work(module.function("fill"), module.function("step"), 77 * number + round);
          }
          return wrong;
        }) == 0);
}

TEST_CASE("default streams of threads, legacy and own, keep their order under load") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const CUfunction step_function = module.function("step");
  constexpr unsigned threads = 4, rounds = 50;
  CHECK(in_threads(threads, [&](unsigned number) {
          unsigned wrong = CU(cuCtxSetCurrent)(context.handle()) != CUDA_SUCCESS;
          const DeviceBlock block(4);
          wrong += CU(cuMemsetD32_v2)(block.address(), number, 1) != CUDA_SUCCESS;
          unsigned expected = number;
          for (unsigned round = 0; round < rounds; ++round) {
            // The two kinds of default streams wait for one another.
            step(step_function, round % 3 == 0 ? CU_STREAM_LEGACY : CU_STREAM_PER_THREAD,
                 block.address());
            expected = expected * 7 + 1;
          }
          unsigned seen = 0;
          wrong += CU(cuMemcpyDtoH_v2)(&seen, block.address(), 4) != CUDA_SUCCESS;
          return wrong + (seen != expected);
        }) == 0);
}

TEST_CASE("a block of a cooperative launch may wait for all others") {
  const CurrentContext context;
  const LoadedModule module(meeting_ptx);
  const CUfunction function = module.function("meet");
  int processors = 0, per_processor = 0;
  REQUIRE(CU(cuDeviceGetAttribute)(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0) ==
          CUDA_SUCCESS);
  REQUIRE(CU(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&per_processor, function, 64, 0) ==
          CUDA_SUCCESS);
  const unsigned blocks = static_cast<unsigned>(processors) * static_cast<unsigned>(per_processor);
  const DeviceBlock block(4);
  for (const bool extended : {false, true}) {
    CUdeviceptr count = block.address();
    unsigned rounds = 5;
    void* parameters[] = {&count, &rounds};
    REQUIRE(CU(cuMemsetD32_v2)(count, 0, 1) == CUDA_SUCCESS);
    if (extended) {
      CUlaunchAttribute attribute{};
      attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
      attribute.value.cooperative = 1;
      CUlaunchConfig config{};
      config.gridDimX = blocks;
      config.gridDimY = config.gridDimZ = 1;
      config.blockDimX = 64;
      config.blockDimY = config.blockDimZ = 1;
      config.attrs = &attribute;
      config.numAttrs = 1;
      REQUIRE(CU(cuLaunchKernelEx)(&config, function, parameters, nullptr) == CUDA_SUCCESS);
    } else {
      REQUIRE(CU(cuLaunchCooperativeKernel)(function, blocks, 1, 1, 64, 1, 1, 0, nullptr,
                                            parameters) == CUDA_SUCCESS);
    }
    REQUIRE(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
    unsigned seen = 0;
    REQUIRE(CU(cuMemcpyDtoH_v2)(&seen, count, 4) == CUDA_SUCCESS);
    CHECK(seen == blocks * rounds);
  }
}

TEST_CASE("kernels of two streams may wait for one another") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  // The first waits for what the second stores.
  const DeviceBlock block(8);
  CUstream first = nullptr, second = nullptr;
  REQUIRE(CU(cuStreamCreate)(&first, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamCreate)(&second, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemsetD32_v2)(block.address(), 0, 2) == CUDA_SUCCESS);
  CUdeviceptr flag = block.address(), to = block.address() + 4;
  unsigned value = 5, one = 1;
  void* waits[] = {&flag, &to, &value};
  void* stores[] = {&flag, &one};
  REQUIRE(CU(cuLaunchKernel)(module.function("wait_for_host"), 1, 1, 1, 1, 1, 1, 0, first, waits,
                             nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuStreamQuery)(first) == CUDA_ERROR_NOT_READY);
  REQUIRE(CU(cuLaunchKernel)(module.function("store"), 1, 1, 1, 1, 1, 1, 0, second, stores,
                             nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(first) == CUDA_SUCCESS);
  unsigned seen = 0;
  REQUIRE(CU(cuMemcpyDtoH_v2)(&seen, to, 4) == CUDA_SUCCESS);
  CHECK(seen == 5);
  CHECK(CU(cuStreamDestroy_v2)(first) == CUDA_SUCCESS);
  CHECK(CU(cuStreamDestroy_v2)(second) == CUDA_SUCCESS);
}
