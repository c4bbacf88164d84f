// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "driver/driver.h"
#include "driver/kernels.h"

using namespace driver_test;

namespace {

// A flag in memory that the host writes and kernels read, and a word where a kernel leaves its
// mark.
struct Gate {
  Gate() {
    REQUIRE(CU(cuMemHostAlloc)(reinterpret_cast<void**>(&words), 64, CU_MEMHOSTALLOC_DEVICEMAP) ==
            CUDA_SUCCESS);
    words[0] = 0;
    words[1] = 0;
  }
  ~Gate() {
    open();
    CU(cuCtxSynchronize)();
    CU(cuMemFreeHost)(words);
  }
  void open() { __atomic_store_n(&words[0], 1u, __ATOMIC_RELEASE); }
  CUdeviceptr flag() const { return reinterpret_cast<CUdeviceptr>(words); }
  unsigned* words = nullptr;
};

// Keeps a stream busy until the gate opens, then stores `value` at `to`.
void block_stream(const LoadedModule& module, CUstream stream, const Gate& gate, CUdeviceptr to,
                  unsigned value) {
  CUdeviceptr flag = gate.flag();
  void* parameters[] = {&flag, &to, &value};
  REQUIRE(CU(cuLaunchKernel)(module.function("wait_for_host"), 1, 1, 1, 1, 1, 1, 0, stream,
                             parameters, nullptr) == CUDA_SUCCESS);
}

struct OwnStream {
  explicit OwnStream(unsigned flags) {
    REQUIRE(CU(cuStreamCreate)(&handle, flags) == CUDA_SUCCESS);
  }
  ~OwnStream() { CU(cuStreamDestroy_v2)(handle); }
  CUstream handle = nullptr;
};

struct OwnEvent {
  explicit OwnEvent(unsigned flags = 0) {
    REQUIRE(CU(cuEventCreate)(&handle, flags) == CUDA_SUCCESS);
  }
  ~OwnEvent() { CU(cuEventDestroy_v2)(handle); }
  CUevent handle = nullptr;
};

}  // namespace

TEST_CASE("a launch does not wait for its kernel") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const OwnStream stream(CU_STREAM_NON_BLOCKING);
  const DeviceBlock block(4);
  Gate gate;
  block_stream(module, stream.handle, gate, block.address(), 3);
  const OwnEvent event;
  CHECK(CU(cuEventRecord)(event.handle, stream.handle) == CUDA_SUCCESS);
  CHECK(CU(cuStreamQuery)(stream.handle) == CUDA_ERROR_NOT_READY);
  CHECK(CU(cuEventQuery)(event.handle) == CUDA_ERROR_NOT_READY);
  gate.open();
  CHECK(CU(cuEventSynchronize)(event.handle) == CUDA_SUCCESS);
  CHECK(CU(cuEventQuery)(event.handle) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream.handle) == CUDA_SUCCESS);
  CHECK(CU(cuStreamQuery)(stream.handle) == CUDA_SUCCESS);
  unsigned value = 0;
  REQUIRE(CU(cuMemcpyDtoH_v2)(&value, block.address(), 4) == CUDA_SUCCESS);
  CHECK(value == 3);
}

TEST_CASE("work of one stream runs in order") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const OwnStream stream(CU_STREAM_DEFAULT);
  const DeviceBlock block(4);
  CUdeviceptr to = block.address();
  void* parameters[] = {&to};
  REQUIRE(CU(cuMemsetD32Async)(to, 1, 1, stream.handle) == CUDA_SUCCESS);
  unsigned expected = 1;
  for (int i = 0; i < 100; ++i) {
    REQUIRE(CU(cuLaunchKernel)(module.function("step"), 1, 1, 1, 1, 1, 1, 0, stream.handle,
                               parameters, nullptr) == CUDA_SUCCESS);
    expected = expected * 7 + 1;
  }
  unsigned value = 0;
  REQUIRE(CU(cuMemcpyDtoHAsync_v2)(&value, to, 4, stream.handle) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream.handle) == CUDA_SUCCESS);
  CHECK(value == expected);
}

TEST_CASE("an event orders one stream after another") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const OwnStream first(CU_STREAM_NON_BLOCKING);
  const OwnStream second(CU_STREAM_NON_BLOCKING);
  const OwnEvent event(CU_EVENT_DISABLE_TIMING);
  const DeviceBlock block(4);
  Gate gate;
  void* host = nullptr;
  REQUIRE(CU(cuMemAllocHost_v2)(&host, 4) == CUDA_SUCCESS);
  unsigned value = 0;
  REQUIRE(CU(cuMemsetD32_v2)(block.address(), 1, 1) == CUDA_SUCCESS);
  block_stream(module, first.handle, gate, block.address(), 5);
  REQUIRE(CU(cuEventRecord)(event.handle, first.handle) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamWaitEvent)(second.handle, event.handle, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemcpyDtoHAsync_v2)(host, block.address(), 4, second.handle) == CUDA_SUCCESS);
  CHECK(CU(cuStreamQuery)(second.handle) == CUDA_ERROR_NOT_READY);
  gate.open();
  REQUIRE(CU(cuStreamSynchronize)(second.handle) == CUDA_SUCCESS);
  value = *static_cast<unsigned*>(host);
  CHECK(value == 5);
  CU(cuMemFreeHost)(host);
}

TEST_CASE("the legacy stream waits for blocking streams, and they for it") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const OwnStream blocking(CU_STREAM_DEFAULT);
  const DeviceBlock block(8);
  {
    Gate gate;
    block_stream(module, blocking.handle, gate, block.address(), 8);
    CHECK(CU(cuLaunchKernel)(module.function("empty"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr,
                             nullptr) == CUDA_SUCCESS);
    CHECK(CU(cuStreamQuery)(nullptr) == CUDA_ERROR_NOT_READY);
    gate.open();
    unsigned value = 0;
    REQUIRE(CU(cuMemcpyDtoH_v2)(&value, block.address(), 4) ==
            CUDA_SUCCESS);  // in the legacy stream
    CHECK(value == 8);
  }
  {
    Gate gate;
    block_stream(module, nullptr, gate, block.address(), 9);
    CHECK(CU(cuLaunchKernel)(module.function("empty"), 1, 1, 1, 1, 1, 1, 0, blocking.handle,
                             nullptr, nullptr) == CUDA_SUCCESS);
    CHECK(CU(cuStreamQuery)(blocking.handle) == CUDA_ERROR_NOT_READY);
    gate.open();
    CHECK(CU(cuStreamSynchronize)(blocking.handle) == CUDA_SUCCESS);
    CHECK(CU(cuStreamQuery)(nullptr) == CUDA_SUCCESS);
  }
}

TEST_CASE("a non-blocking stream does not wait for the legacy stream") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const OwnStream free(CU_STREAM_NON_BLOCKING);
  const DeviceBlock block(8);
  Gate gate;
  block_stream(module, nullptr, gate, block.address(), 1);
  REQUIRE(CU(cuLaunchKernel)(module.function("empty"), 1, 1, 1, 1, 1, 1, 0, free.handle, nullptr,
                             nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(free.handle) == CUDA_SUCCESS);
  CHECK(CU(cuStreamQuery)(nullptr) == CUDA_ERROR_NOT_READY);
  gate.open();
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
}

TEST_CASE("each thread has its own per-thread stream") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(8);
  Gate gate;
  block_stream(module, CU_STREAM_PER_THREAD, gate, block.address(), 1);
  CHECK(CU(cuStreamQuery)(CU_STREAM_PER_THREAD) == CUDA_ERROR_NOT_READY);
  CHECK(CU(cuStreamQuery_ptsz)(nullptr) == CUDA_ERROR_NOT_READY);
  std::thread([&] {
    CHECK(CU(cuCtxSetCurrent)(context.handle()) == CUDA_SUCCESS);
    CHECK(CU(cuStreamQuery)(CU_STREAM_PER_THREAD) == CUDA_SUCCESS);
    CHECK(CU(cuMemsetD8Async_ptsz)(block.address() + 4, 1, 4, nullptr) == CUDA_SUCCESS);
    CHECK(CU(cuStreamSynchronize_ptsz)(nullptr) == CUDA_SUCCESS);
  }).join();
  gate.open();
  CHECK(CU(cuStreamSynchronize)(CU_STREAM_PER_THREAD) == CUDA_SUCCESS);
  unsigned long long mine = 0;
  unsigned long long legacy = 0;
  CHECK(CU(cuStreamGetId)(CU_STREAM_PER_THREAD, &mine) == CUDA_SUCCESS);
  CHECK(CU(cuStreamGetId)(nullptr, &legacy) == CUDA_SUCCESS);
  CHECK(mine != legacy);
  CHECK(CU(cuStreamGetId_ptsz)(nullptr, &legacy) == CUDA_SUCCESS);
  CHECK(mine == legacy);
}

TEST_CASE("callbacks run in order and may not call the driver") {
  const CurrentContext context;
  const OwnStream stream(CU_STREAM_DEFAULT);
  struct Seen {
    std::atomic<int> calls{0};
    std::atomic<int> status{-1};
    std::atomic<int> nested{-1};
  } seen;
  REQUIRE(CU(cuStreamAddCallback)(
              stream.handle,
              [](CUstream, CUresult status, void* data) {
                auto* into = static_cast<Seen*>(data);
                into->status = status;
                ++into->calls;
              },
              &seen, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuLaunchHostFunc)(
              stream.handle,
              [](void* data) {
                auto* into = static_cast<Seen*>(data);
                size_t free = 0;
                size_t total = 0;
                into->nested = CU(cuMemGetInfo_v2)(&free, &total);
                into->calls = into->calls * 10;
              },
              &seen) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream.handle) == CUDA_SUCCESS);
  CHECK(seen.calls == 10);
  CHECK(seen.status == CUDA_SUCCESS);
  CHECK(seen.nested == CUDA_ERROR_NOT_PERMITTED);
  CHECK(CU(cuStreamAddCallback)(stream.handle, nullptr, nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuLaunchHostFunc)(stream.handle, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("events measure time") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const OwnStream stream(CU_STREAM_DEFAULT);
  const OwnEvent start;
  const OwnEvent end;
  const OwnEvent untimed(CU_EVENT_DISABLE_TIMING);
  float milliseconds = -1;
  CHECK(CU(cuEventElapsedTime)(&milliseconds, start.handle, end.handle) ==
        CUDA_ERROR_INVALID_HANDLE);
  const DeviceBlock block(4);
  Gate gate;
  REQUIRE(CU(cuEventRecord)(start.handle, stream.handle) == CUDA_SUCCESS);
  block_stream(module, stream.handle, gate, block.address(), 1);
  REQUIRE(CU(cuEventRecord)(end.handle, stream.handle) == CUDA_SUCCESS);
  CHECK(CU(cuEventElapsedTime)(&milliseconds, start.handle, end.handle) == CUDA_ERROR_NOT_READY);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  gate.open();
  REQUIRE(CU(cuEventSynchronize)(end.handle) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventElapsedTime)(&milliseconds, start.handle, end.handle) == CUDA_SUCCESS);
  if (has_symbol("cuEventElapsedTime_v2")) {  // since CUDA 12.8
    float same = -1;
    CHECK(CU(cuEventElapsedTime_v2)(&same, start.handle, end.handle) == CUDA_SUCCESS);
    CHECK(same == milliseconds);
  }
  CHECK(milliseconds >= 19.0f);
  REQUIRE(CU(cuEventRecord)(untimed.handle, stream.handle) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventSynchronize)(untimed.handle) == CUDA_SUCCESS);
  CHECK(CU(cuEventElapsedTime)(&milliseconds, start.handle, untimed.handle) ==
        CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE("the rules of streams and events") {
  const CurrentContext context;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  CHECK(CU(cuStreamCreate)(&stream, 5) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuStreamCreate)(nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuStreamDestroy_v2)(nullptr) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuStreamDestroy_v2)(CU_STREAM_LEGACY) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuStreamWaitEvent)(nullptr, nullptr, 0) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuEventCreate)(&event, 0x100) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuEventDestroy_v2)(nullptr) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuEventQuery)(nullptr) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuEventRecord)(nullptr, nullptr) == CUDA_ERROR_INVALID_HANDLE);
  const OwnEvent fresh;
  CHECK(CU(cuEventQuery)(fresh.handle) == CUDA_SUCCESS);  // never recorded: nothing to wait for
  CHECK(CU(cuEventSynchronize)(fresh.handle) == CUDA_SUCCESS);
  CHECK(CU(cuEventRecordWithFlags)(fresh.handle, nullptr, 7) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuStreamWaitEvent)(nullptr, fresh.handle, 7) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a stream knows what it was made with") {
  const CurrentContext context;
  int least = 0;
  int greatest = 0;
  REQUIRE(CU(cuCtxGetStreamPriorityRange)(&least, &greatest) == CUDA_SUCCESS);
  CUstream stream = nullptr;
  REQUIRE(CU(cuStreamCreateWithPriority)(&stream, CU_STREAM_NON_BLOCKING, -100) == CUDA_SUCCESS);
  int priority = 77;
  unsigned flags = 77;
  CUcontext owner = nullptr;
  CHECK(CU(cuStreamGetPriority)(stream, &priority) == CUDA_SUCCESS);
  CHECK(priority == greatest);
  CHECK(CU(cuStreamGetFlags)(stream, &flags) == CUDA_SUCCESS);
  CHECK(flags == CU_STREAM_NON_BLOCKING);
  CHECK(CU(cuStreamGetCtx)(stream, &owner) == CUDA_SUCCESS);
  CHECK(owner == context.handle());
  CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
}

TEST_CASE("a stream tells its device and gives its attributes to another") {
  const CurrentContext context;
  const OwnStream first(0), second(0);
  CUstreamAttrValue value{}, found{};
  value.syncPolicy = CU_SYNC_POLICY_YIELD;
  CHECK(CU(cuStreamSetAttribute)(first.handle, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY,
                                 &value) == CUDA_SUCCESS);
  CHECK(CU(cuStreamCopyAttributes)(second.handle, first.handle) == CUDA_SUCCESS);
  CHECK(CU(cuStreamGetAttribute)(second.handle, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY,
                                 &found) == CUDA_SUCCESS);
  CHECK(found.syncPolicy == CU_SYNC_POLICY_YIELD);
  if (is_cpu_driver()) {  // NVIDIA's crashes
    CHECK(CU(cuStreamGetAttribute)(second.handle, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY,
                                   nullptr) == CUDA_ERROR_INVALID_VALUE);
  }
  if (!has_symbol("cuStreamGetDevice")) return;  // before CUDA 12.8
  CUdevice device = -1;
  CHECK(CU(cuStreamGetDevice)(first.handle, &device) == CUDA_SUCCESS);
  CHECK(device == 0);
  CHECK(CU(cuStreamGetDevice)(first.handle, nullptr) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("streams keep their priorities, of 0 to -5") {
  const CurrentContext context;
  int least = 7;
  int greatest = 7;
  REQUIRE(CU(cuCtxGetStreamPriorityRange)(&least, &greatest) == CUDA_SUCCESS);
  CHECK(least == 0);
  CHECK(greatest == -5);
  const int asked[] = {5, 0, -1, -3, -5, -6};
  const int kept[] = {0, 0, -1, -3, -5, -5};
  for (int i = 0; i < 6; ++i) {
    CAPTURE(asked[i]);
    CUstream stream = nullptr;
    REQUIRE(CU(cuStreamCreateWithPriority)(&stream, 0, asked[i]) == CUDA_SUCCESS);
    int priority = 77;
    CHECK(CU(cuStreamGetPriority)(stream, &priority) == CUDA_SUCCESS);
    CHECK(priority == kept[i]);
    CUstreamAttrValue value{};
    value.priority = -9;
    CHECK(CU(cuStreamSetAttribute)(stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value) == CUDA_SUCCESS);
    CHECK(CU(cuStreamGetPriority)(stream, &priority) == CUDA_SUCCESS);
    CHECK(priority == -5);
    CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
  }
}

TEST_CASE("a captured kernel has its stream's priority, and another one within the range") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  CUstream stream = nullptr;
  REQUIRE(CU(cuStreamCreateWithPriority)(&stream, CU_STREAM_NON_BLOCKING, -4) == CUDA_SUCCESS);
  const DeviceBlock block(64);
  REQUIRE(CU(cuStreamBeginCapture_v2)(stream, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  CUdeviceptr address = block.address();
  void* parameters[] = {&address};
  REQUIRE(CU(cuLaunchKernel)(module.function("step"), 1, 1, 1, 1, 1, 1, 0, stream, parameters,
                             nullptr) == CUDA_SUCCESS);
  CUgraph graph = nullptr;
  REQUIRE(CU(cuStreamEndCapture)(stream, &graph) == CUDA_SUCCESS);
  CUgraphNode node = nullptr;
  std::size_t count = 1;
  REQUIRE(CU(cuGraphGetNodes)(graph, &node, &count) == CUDA_SUCCESS);
  CUkernelNodeAttrValue value{};
  CHECK(CU(cuGraphKernelNodeGetAttribute)(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value) ==
        CUDA_SUCCESS);
  CHECK(value.priority == -4);
  value.priority = -20;
  CHECK(CU(cuGraphKernelNodeSetAttribute)(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value) ==
        CUDA_SUCCESS);
  CHECK(CU(cuGraphKernelNodeGetAttribute)(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value) ==
        CUDA_SUCCESS);
  CHECK(value.priority == -5);
  CHECK(CU(cuGraphDestroy)(graph) == CUDA_SUCCESS);
  CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
}

TEST_CASE("a stream may be destroyed while it works") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(4);
  Gate gate;
  CUstream stream = nullptr;
  REQUIRE(CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  block_stream(module, stream, gate, block.address(), 4);
  CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
  gate.open();
  REQUIRE(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  unsigned value = 0;
  REQUIRE(CU(cuMemcpyDtoH_v2)(&value, block.address(), 4) == CUDA_SUCCESS);
  CHECK(value == 4);
}

TEST_CASE("stream-ordered memory is usable at once and freed in order") {
  const CurrentContext context;
  int supported = 0;
  REQUIRE(CU(cuDeviceGetAttribute)(&supported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 0) ==
          CUDA_SUCCESS);
  if (supported == 0) return;
  CUmemoryPool pool = nullptr;
  CUmemoryPool current = nullptr;
  REQUIRE(CU(cuDeviceGetDefaultMemPool)(&pool, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuDeviceGetMemPool)(&current, 0) == CUDA_SUCCESS);
  CHECK(pool == current);
  const auto used = [&] {
    cuuint64_t bytes = 0;
    REQUIRE(CU(cuMemPoolGetAttribute)(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes) ==
            CUDA_SUCCESS);
    return bytes;
  };
  const cuuint64_t before = used();
  CUdeviceptr memory = 0;
  REQUIRE(CU(cuMemAllocAsync)(&memory, 1000, nullptr) == CUDA_SUCCESS);
  CHECK(used() == before + 1000);
  CHECK(CU(cuMemsetD8Async)(memory, 1, 1000, nullptr) == CUDA_SUCCESS);
  CUmemoryPool origin = nullptr;
  CHECK(CU(cuPointerGetAttribute)(&origin, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, memory) ==
        CUDA_SUCCESS);
  CHECK(origin == pool);
  CHECK(CU(cuMemFreeAsync)(memory, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuMemFreeAsync)(memory, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  CHECK(used() == before);
  CHECK(CU(cuMemAllocAsync)(&memory, 0, nullptr) == CUDA_SUCCESS);
  CHECK(memory == 0);
  CHECK(CU(cuMemFreeAsync)(0, nullptr) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemAllocAsync)(&memory, 100, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuMemFree_v2)(memory) == CUDA_SUCCESS);
}

TEST_CASE("a pool of one's own outlives its destruction until its memory is freed") {
  const CurrentContext context;
  CUmemPoolProps properties{};
  CUmemoryPool pool = nullptr;
  CHECK(CU(cuMemPoolCreate)(&pool, &properties) == CUDA_ERROR_INVALID_VALUE);
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = 0;
  REQUIRE(CU(cuMemPoolCreate)(&pool, &properties) == CUDA_SUCCESS);
  CUdeviceptr memory = 0;
  REQUIRE(CU(cuMemAllocFromPoolAsync)(&memory, 100, pool, nullptr) == CUDA_SUCCESS);
  cuuint64_t value = 5;
  CHECK(CU(cuMemPoolSetAttribute)(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value) ==
        CUDA_ERROR_INVALID_VALUE);
  value = 0;
  CHECK(CU(cuMemPoolSetAttribute)(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value) == CUDA_SUCCESS);
  value = 1 << 20;
  CHECK(CU(cuMemPoolSetAttribute)(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value) == CUDA_SUCCESS);
  CHECK(CU(cuMemPoolTrimTo)(pool, 0) == CUDA_SUCCESS);
  CHECK(CU(cuMemPoolDestroy)(pool) == CUDA_SUCCESS);
  CHECK(CU(cuMemsetD8Async)(memory, 1, 100, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuMemFreeAsync)(memory, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  CUmemoryPool standard = nullptr;
  REQUIRE(CU(cuDeviceGetDefaultMemPool)(&standard, 0) == CUDA_SUCCESS);
  CHECK(CU(cuMemPoolDestroy)(standard) == CUDA_ERROR_INVALID_VALUE);
}
