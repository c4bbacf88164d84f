// SPDX-License-Identifier: MIT
// Wrong arguments by kind, for functions of all families: no place for the answer, handles that
// were destroyed or are of another kind or context, flags that do not exist. The codes are those of
// NVIDIA's documentation; NVIDIA's driver is not asked where it may crash.
#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "driver/driver.h"
#include "driver/kernels.h"

using namespace driver_test;

namespace {

/// One object of each kind, and one that was destroyed.
struct Objects {
  CUstream stream = nullptr, gone_stream = nullptr;
  CUevent event = nullptr, gone_event = nullptr;
  CUgraph graph = nullptr, gone_graph = nullptr;
  CUgraphExec exec = nullptr, gone_exec = nullptr;
  CUmemoryPool pool = nullptr, gone_pool = nullptr;

  Objects() {
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    for (CUstream* made : {&stream, &gone_stream})
      REQUIRE(CU(cuStreamCreate)(made, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    for (CUevent* made : {&event, &gone_event})
      REQUIRE(CU(cuEventCreate)(made, CU_EVENT_DEFAULT) == CUDA_SUCCESS);
    for (CUgraph* made : {&graph, &gone_graph}) REQUIRE(CU(cuGraphCreate)(made, 0) == CUDA_SUCCESS);
    for (CUgraphExec* made : {&exec, &gone_exec})
      REQUIRE(CU(cuGraphInstantiateWithFlags)(made, graph, 0) == CUDA_SUCCESS);
    for (CUmemoryPool* made : {&pool, &gone_pool})
      REQUIRE(CU(cuMemPoolCreate)(made, &properties) == CUDA_SUCCESS);
    REQUIRE(CU(cuStreamDestroy_v2)(gone_stream) == CUDA_SUCCESS);
    REQUIRE(CU(cuEventDestroy_v2)(gone_event) == CUDA_SUCCESS);
    REQUIRE(CU(cuGraphDestroy)(gone_graph) == CUDA_SUCCESS);
    REQUIRE(CU(cuGraphExecDestroy)(gone_exec) == CUDA_SUCCESS);
    REQUIRE(CU(cuMemPoolDestroy)(gone_pool) == CUDA_SUCCESS);
  }
  ~Objects() {
    CHECK(CU(cuGraphExecDestroy)(exec) == CUDA_SUCCESS);
    CHECK(CU(cuGraphDestroy)(graph) == CUDA_SUCCESS);
    CHECK(CU(cuMemPoolDestroy)(pool) == CUDA_SUCCESS);
    CHECK(CU(cuEventDestroy_v2)(event) == CUDA_SUCCESS);
    CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
  }
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
};

template <class To, class From>
To taken_for(From handle) {
  return reinterpret_cast<To>(handle);
}

}  // namespace

TEST_CASE("functions that have no place for their answer refuse") {
  const CurrentContext context;
  const Objects all;
  const DeviceBlock block(64);
  constexpr CUresult refused = CUDA_ERROR_INVALID_VALUE;
  CHECK(CU(cuDriverGetVersion)(nullptr) == refused);
  CHECK(CU(cuDeviceGet)(nullptr, 0) == refused);
  CHECK(CU(cuDeviceGetCount)(nullptr) == refused);
  CHECK(CU(cuDeviceGetName)(nullptr, 10, 0) == refused);
  CHECK(CU(cuDeviceGetUuid_v2)(nullptr, 0) == refused);
  CHECK(CU(cuDeviceTotalMem_v2)(nullptr, 0) == refused);
  CHECK(CU(cuDeviceGetAttribute)(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0) == refused);
  CHECK(CU(cuDeviceGetDefaultMemPool)(nullptr, 0) == refused);
  CHECK(CU(cuDeviceGetMemPool)(nullptr, 0) == refused);
  CHECK(CU(cuDeviceCanAccessPeer)(nullptr, 0, 0) == refused);
  CHECK(CU(cuCtxGetCurrent)(nullptr) == refused);
  CHECK(CU(cuCtxGetDevice)(nullptr) == refused);
  CHECK(CU(cuCtxGetFlags)(nullptr) == refused);
  CHECK(CU(cuCtxGetLimit)(nullptr, CU_LIMIT_STACK_SIZE) == refused);
  CHECK(CU(cuCtxGetCacheConfig)(nullptr) == refused);
  CHECK(CU(cuMemAlloc_v2)(nullptr, 64) == refused);
  CHECK(CU(cuMemAllocManaged)(nullptr, 64, CU_MEM_ATTACH_GLOBAL) == refused);
  CHECK(CU(cuMemHostAlloc)(nullptr, 64, 0) == refused);
  CHECK(CU(cuMemAllocAsync)(nullptr, 64, all.stream) == refused);
  CHECK(CU(cuMemAllocFromPoolAsync)(nullptr, 64, all.pool, all.stream) == refused);
  CHECK(CU(cuMemPoolGetAttribute)(all.pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, nullptr) == refused);
  CHECK(CU(cuPointerGetAttribute)(nullptr, CU_POINTER_ATTRIBUTE_CONTEXT, block.address()) ==
        refused);
  CHECK(CU(cuStreamCreate)(nullptr, CU_STREAM_DEFAULT) == refused);
  CHECK(CU(cuStreamGetFlags)(all.stream, nullptr) == refused);
  CHECK(CU(cuStreamGetPriority)(all.stream, nullptr) == refused);
  CHECK(CU(cuStreamGetCtx)(all.stream, nullptr) == refused);
  CHECK(CU(cuStreamIsCapturing)(all.stream, nullptr) == refused);
  CHECK(CU(cuEventCreate)(nullptr, CU_EVENT_DEFAULT) == refused);
  CHECK(CU(cuGraphCreate)(nullptr, 0) == refused);
  CHECK(CU(cuGraphGetNodes)(all.graph, nullptr, nullptr) == refused);
  CHECK(CU(cuGraphInstantiateWithFlags)(nullptr, all.graph, 0) == refused);
  CHECK(CU(cuGraphAddEmptyNode)(nullptr, all.graph, nullptr, 0) == refused);
  CHECK(CU(cuGraphClone)(nullptr, all.graph) == refused);
}

TEST_CASE("objects that were destroyed are refused") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  const Objects all;
  float milliseconds = 0;
  std::size_t count = 0;
  CHECK(CU(cuStreamSynchronize)(all.gone_stream) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuStreamQuery)(all.gone_stream) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuStreamDestroy_v2)(all.gone_stream) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuStreamWaitEvent)(all.gone_stream, all.event, 0) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuGraphLaunch)(all.exec, all.gone_stream) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuMemAllocAsync)(reinterpret_cast<CUdeviceptr*>(&count), 64, all.gone_stream) ==
        CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuEventRecord)(all.gone_event, all.stream) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuEventSynchronize)(all.gone_event) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuEventQuery)(all.gone_event) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuEventDestroy_v2)(all.gone_event) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuEventElapsedTime_v2)(&milliseconds, all.gone_event, all.event) ==
        CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuGraphGetNodes)(all.gone_graph, nullptr, &count) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphDestroy)(all.gone_graph) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphLaunch)(all.gone_exec, all.stream) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphExecDestroy)(all.gone_exec) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemPoolTrimTo)(all.gone_pool, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemPoolDestroy)(all.gone_pool) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("an object of another kind is none") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  const Objects all;
  CHECK(CU(cuStreamSynchronize)(taken_for<CUstream>(all.event)) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuEventRecord)(taken_for<CUevent>(all.stream), all.stream) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuGraphLaunch)(taken_for<CUgraphExec>(all.graph), all.stream) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphDestroy)(taken_for<CUgraph>(all.exec)) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemPoolDestroy)(taken_for<CUmemoryPool>(all.event)) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuModuleUnload)(taken_for<CUmodule>(all.stream)) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuArrayDestroy)(taken_for<CUarray>(all.pool)) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuCtxSetCurrent)(taken_for<CUcontext>(all.pool)) == CUDA_ERROR_INVALID_CONTEXT);
}

TEST_CASE("flags that do not exist are refused") {
  const CurrentContext context;
  const Objects all;
  constexpr unsigned none = 1u << 20;
  constexpr CUresult refused = CUDA_ERROR_INVALID_VALUE;
  CUcontext made = nullptr;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CUdeviceptr memory = 0;
  void* host = nullptr;
  CHECK(CU(cuInit)(1) == refused);
  CHECK(CU(cuCtxCreate_v2)(&made, none, 0) == refused);
  CHECK(CU(cuStreamCreate)(&stream, none) == refused);
  CHECK(CU(cuStreamWaitEvent)(all.stream, all.event, none) == refused);
  CHECK(CU(cuEventCreate)(&event, none) == refused);
  CHECK(CU(cuEventRecordWithFlags)(all.event, all.stream, none) == refused);
  CHECK(CU(cuGraphCreate)(&graph, none) == refused);
  CHECK(CU(cuGraphInstantiateWithFlags)(&exec, all.graph, none) == refused);
  CHECK(CU(cuMemAllocManaged)(&memory, 64, none) == refused);
  CHECK(CU(cuMemAllocManaged)(&memory, 64, CU_MEM_ATTACH_SINGLE) == refused);
  CHECK(CU(cuMemHostAlloc)(&host, 64, none) == refused);
  std::vector<char> pages(8192);
  CHECK(CU(cuMemHostRegister_v2)(pages.data(), pages.size(), none) == refused);
}

TEST_CASE("an event and a stream of different contexts do not go together, except to wait") {
  const CurrentContext context;
  const Objects all;
  {
    const CurrentContext other;
    CUevent event = nullptr;
    REQUIRE(CU(cuEventCreate)(&event, CU_EVENT_DEFAULT) == CUDA_SUCCESS);
    CHECK(CU(cuEventRecord)(event, all.stream) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(CU(cuStreamWaitEvent)(all.stream, event, 0) == CUDA_SUCCESS);
    // A kernel runs in its own context's streams.
    const LoadedModule module(kernels_ptx);
    CUdeviceptr to = 0;
    unsigned value = 0;
    void* parameters[] = {&to, &value};
    CHECK(CU(cuLaunchKernel)(module.function("store"), 1, 1, 1, 1, 1, 1, 0, all.stream, parameters,
                             nullptr) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(CU(cuEventDestroy_v2)(event) == CUDA_SUCCESS);
  }
}
