// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <thread>

#include "driver/graph_scene.h"

using namespace driver_test;

TEST_CASE("a captured stream runs nothing, its graph runs all, as often as it is launched") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(16);
  StepKernel kernel(module, block.address());
  const GraphStream stream;
  unsigned host[2] = {0, 0};
  write_word(block.address(), 3);
  CHECK(stream.status() == CU_STREAM_CAPTURE_STATUS_NONE);
  stream.begin();
  CHECK(stream.status() == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  REQUIRE(CU(cuMemsetD32Async)(block.address(), 1, 2, stream.handle) == CUDA_SUCCESS);
  kernel.launch(stream);
  kernel.launch(stream);
  REQUIRE(CU(cuMemcpyDtoDAsync_v2)(block.address() + 4, block.address(), 4, stream.handle) ==
          CUDA_SUCCESS);
  REQUIRE(CU(cuMemcpyDtoHAsync_v2)(host, block.address(), 8, stream.handle) == CUDA_SUCCESS);
  std::atomic<int> calls{0};
  REQUIRE(CU(cuLaunchHostFunc)(
              stream.handle, [](void* data) { ++*static_cast<std::atomic<int>*>(data); }, &calls) ==
          CUDA_SUCCESS);
  CUgraph made = nullptr;
  REQUIRE(stream.end(&made) == CUDA_SUCCESS);
  const OwnGraph graph(made);
  CHECK(stream.status() == CU_STREAM_CAPTURE_STATUS_NONE);
  CHECK(host[0] == 0);
  CHECK(read_word(block.address()) == 3);
  CHECK(graph.nodes().size() == 6);
  CHECK(graph.edge_count() == 5);
  const OwnExec exec(graph.handle);
  for (int i = 1; i <= 3; ++i) {
    host[0] = host[1] = 0;
    exec.run(stream);
    CHECK(host[0] == step(1, 2));
    CHECK(host[1] == step(1, 2));
    CHECK(calls == i);
  }
}

TEST_CASE("each kind of operation becomes a node of its kind") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(64);
  const GraphStream stream;
  const GraphEvent event;
  unsigned host[4] = {1, 2, 3, 4};
  stream.begin();
  REQUIRE(CU(cuMemcpyHtoDAsync_v2)(block.address(), host, 16, stream.handle) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemcpyAsync)(block.address() + 16, block.address(), 16, stream.handle) ==
          CUDA_SUCCESS);
  CUDA_MEMCPY2D flat{};
  flat.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  flat.srcDevice = block.address();
  flat.srcPitch = 8;
  flat.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  flat.dstDevice = block.address() + 32;
  flat.dstPitch = 16;
  flat.WidthInBytes = 8;
  flat.Height = 2;
  REQUIRE(CU(cuMemcpy2DAsync_v2)(&flat, stream.handle) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemsetD8Async)(block.address() + 8, 7, 3, stream.handle) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemsetD2D16Async)(block.address() + 40, 16, 9, 2, 2, stream.handle) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecordWithFlags)(event.handle, stream.handle, CU_EVENT_RECORD_EXTERNAL) ==
          CUDA_SUCCESS);
  REQUIRE(CU(cuStreamWaitEvent)(stream.handle, event.handle, CU_EVENT_WAIT_EXTERNAL) ==
          CUDA_SUCCESS);
  CUgraph made = nullptr;
  REQUIRE(stream.end(&made) == CUDA_SUCCESS);
  const OwnGraph graph(made);
  const CUgraphNodeType expected[] = {CU_GRAPH_NODE_TYPE_MEMCPY,    CU_GRAPH_NODE_TYPE_MEMCPY,
                                      CU_GRAPH_NODE_TYPE_MEMCPY,    CU_GRAPH_NODE_TYPE_MEMSET,
                                      CU_GRAPH_NODE_TYPE_MEMSET,    CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                                      CU_GRAPH_NODE_TYPE_WAIT_EVENT};
  // The order of the nodes is nobody's promise: their kinds are.
  std::vector<CUgraphNodeType> types;
  for (CUgraphNode node : graph.nodes()) types.push_back(type_of(node));
  CHECK(std::is_permutation(types.begin(), types.end(), std::begin(expected), std::end(expected)));
  const OwnExec exec(graph.handle);
  exec.run(stream);
  CHECK(CU(cuEventQuery)(event.handle) == CUDA_SUCCESS);
  unsigned seen[16];
  REQUIRE(CU(cuMemcpyDtoH_v2)(seen, block.address(), 64) == CUDA_SUCCESS);
  CHECK(seen[0] == 1);
  CHECK(seen[2] == 0x00070707);
  CHECK(seen[4] == 1);
  CHECK(seen[7] == 4);
  CHECK(seen[8] == 1);
  CHECK(seen[10] == 0x00090009);
  CHECK(seen[12] == 3);
}

TEST_CASE("events draw other streams into a capture, which must come back") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(16);
  StepKernel left(module, block.address());
  StepKernel right(module, block.address() + 4);
  const GraphStream first;
  const GraphStream second;
  const GraphEvent fork;
  const GraphEvent join;
  first.begin();
  REQUIRE(CU(cuMemsetD32Async)(block.address(), 1, 3, first.handle) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(fork.handle, first.handle) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamWaitEvent)(second.handle, fork.handle, 0) == CUDA_SUCCESS);
  CHECK(second.status() == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  left.launch(first);
  right.launch(second);
  right.launch(second);

  SUBCASE("joined") {
    REQUIRE(CU(cuEventRecord)(join.handle, second.handle) == CUDA_SUCCESS);
    REQUIRE(CU(cuStreamWaitEvent)(first.handle, join.handle, 0) == CUDA_SUCCESS);
    REQUIRE(CU(cuMemcpyDtoDAsync_v2)(block.address() + 8, block.address() + 4, 4, first.handle) ==
            CUDA_SUCCESS);
    CUgraph made = nullptr;
    REQUIRE(first.end(&made) == CUDA_SUCCESS);
    const OwnGraph graph(made);
    CHECK(second.status() == CU_STREAM_CAPTURE_STATUS_NONE);
    CHECK(graph.nodes().size() == 5);
    CHECK(graph.edge_count() == 5);
    const OwnExec exec(graph.handle);
    exec.run(first);
    CHECK(read_word(block.address()) == step(1));
    CHECK(read_word(block.address() + 8) == step(1, 2));
  }
  SUBCASE("not joined") {
    CUgraph made = nullptr;
    CHECK(first.end(&made) == CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    CHECK(made == nullptr);
    CHECK(first.status() == CU_STREAM_CAPTURE_STATUS_NONE);
    CHECK(second.status() == CU_STREAM_CAPTURE_STATUS_NONE);
  }
  SUBCASE("ended where it did not begin") {
    CUgraph made = nullptr;
    CHECK(second.end(&made) == CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    CHECK(first.end(&made) != CUDA_SUCCESS);
    CHECK(made == nullptr);
  }
  SUBCASE("an event of a capture is no event to ask") {
    CHECK(CU(cuEventQuery)(fork.handle) == CUDA_ERROR_CAPTURED_EVENT);
    CUgraph made = nullptr;
    CHECK(first.end(&made) != CUDA_SUCCESS);
  }
  SUBCASE("an event of a capture is no event to wait for") {
    CHECK(CU(cuEventSynchronize)(fork.handle) == CUDA_ERROR_CAPTURED_EVENT);
    CUgraph made = nullptr;
    CHECK(first.end(&made) != CUDA_SUCCESS);
    // Recorded anew, it is.
    REQUIRE(CU(cuEventRecord)(fork.handle, second.handle) == CUDA_SUCCESS);
    CHECK(CU(cuEventSynchronize)(fork.handle) == CUDA_SUCCESS);
  }
}

TEST_CASE("captures do not merge, and nothing outside comes in") {
  const CurrentContext context;
  const GraphStream first;
  const GraphStream second;
  const GraphStream third;
  const GraphEvent event;
  CUgraph made = nullptr;
  SUBCASE("merge") {
    first.begin();
    second.begin();
    REQUIRE(CU(cuEventRecord)(event.handle, first.handle) == CUDA_SUCCESS);
    CHECK(CU(cuStreamWaitEvent)(second.handle, event.handle, 0) == CUDA_ERROR_STREAM_CAPTURE_MERGE);
    CHECK(second.end(&made) != CUDA_SUCCESS);
    CHECK(made == nullptr);
    static_cast<void>(first.end(&made));
    if (made != nullptr) CU(cuGraphDestroy)(made);
  }
  SUBCASE("isolation") {
    REQUIRE(CU(cuEventRecord)(event.handle, third.handle) == CUDA_SUCCESS);
    first.begin();
    CHECK(CU(cuStreamWaitEvent)(first.handle, event.handle, 0) ==
          CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    CHECK(first.end(&made) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK(made == nullptr);
  }
}

TEST_CASE("what a captured stream cannot do ends its capture") {
  const CurrentContext context;
  const DeviceBlock block(16);
  const GraphStream stream;
  CUgraph made = nullptr;
  stream.begin();
  SUBCASE("waiting") {
    CHECK(CU(cuStreamSynchronize)(stream.handle) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  SUBCASE("asking") {
    CHECK(CU(cuStreamQuery)(stream.handle) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  SUBCASE("waiting for the context") {
    CHECK(CU(cuCtxSynchronize)() == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  SUBCASE("allocating memory") {
    CUdeviceptr address = 0;
    CHECK(CU(cuMemAlloc_v2)(&address, 64) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  CHECK(stream.status() == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  CHECK(CU(cuMemsetD32Async)(block.address(), 1, 1, stream.handle) ==
        CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CHECK(stream.end(&made) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CHECK(made == nullptr);
  CHECK(stream.status() == CU_STREAM_CAPTURE_STATUS_NONE);
  CHECK(CU(cuMemsetD32Async)(block.address(), 1, 1, stream.handle) == CUDA_SUCCESS);
  stream.wait();
}

TEST_CASE("relaxed captures and relaxed threads allow what makes no difference to them") {
  const CurrentContext context;
  const GraphStream stream;
  CUdeviceptr address = 0;
  CUgraph made = nullptr;
  SUBCASE("a relaxed capture") { stream.begin(CU_STREAM_CAPTURE_MODE_RELAXED); }
  SUBCASE("a relaxed thread") {
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    REQUIRE(CU(cuThreadExchangeStreamCaptureMode)(&mode) == CUDA_SUCCESS);
    CHECK(mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
    stream.begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
  }
  REQUIRE(CU(cuMemAlloc_v2)(&address, 64) == CUDA_SUCCESS);
  CHECK(CU(cuMemsetD32Async)(address, 5, 1, stream.handle) == CUDA_SUCCESS);
  REQUIRE(stream.end(&made) == CUDA_SUCCESS);
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  REQUIRE(CU(cuThreadExchangeStreamCaptureMode)(&mode) == CUDA_SUCCESS);
  const OwnGraph graph(made);
  OwnExec(graph.handle).run(stream);
  CHECK(read_word(address) == 5);
  CHECK(CU(cuMemFree_v2)(address) == CUDA_SUCCESS);
}

TEST_CASE("a capture of one thread forbids other threads what it says") {
  const CurrentContext context;
  const GraphStream stream;
  CUresult seen = CUDA_SUCCESS;
  CUgraph made = nullptr;
  const auto allocate_elsewhere = [&] {
    std::thread([&] {
      CUdeviceptr address = 0;
      CU(cuCtxSetCurrent)(context.handle());
      seen = CU(cuMemAlloc_v2)(&address, 64);
      if (seen == CUDA_SUCCESS) seen = CU(cuMemFree_v2)(address);
    }).join();
  };
  SUBCASE("global") {
    stream.begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    allocate_elsewhere();
    CHECK(seen == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CHECK(stream.end(&made) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  }
  SUBCASE("its own") {
    stream.begin(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    std::thread([&] {
      CU(cuCtxSetCurrent)(context.handle());
      CUgraph stolen = nullptr;
      seen = CU(cuStreamEndCapture)(stream.handle, &stolen);
    }).join();
    CHECK(seen == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    static_cast<void>(stream.end(&made));
    if (made != nullptr) CU(cuGraphDestroy)(made);
  }
  SUBCASE("relaxed: any thread may end it") {
    stream.begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    std::thread([&] {
      CU(cuCtxSetCurrent)(context.handle());
      seen = CU(cuStreamEndCapture)(stream.handle, &made);
    }).join();
    CHECK(seen == CUDA_SUCCESS);
    REQUIRE(made != nullptr);
    CHECK(CU(cuGraphDestroy)(made) == CUDA_SUCCESS);
  }
}

TEST_CASE("the legacy stream cannot be used while a stream that it waits for is captured") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const GraphStream stream(CU_STREAM_DEFAULT);
  CUgraph made = nullptr;
  stream.begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  CUstreamCaptureStatus told = CU_STREAM_CAPTURE_STATUS_NONE;
  CHECK(CU(cuStreamIsCapturing)(CU_STREAM_LEGACY, &told) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CHECK(stream.status() == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CHECK(CU(cuLaunchKernel)(module.function("empty"), 1, 1, 1, 1, 1, 1, 0, CU_STREAM_LEGACY, nullptr,
                           nullptr) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CHECK(stream.status() == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  CHECK(stream.end(&made) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CHECK(CU(cuLaunchKernel)(module.function("empty"), 1, 1, 1, 1, 1, 1, 0, CU_STREAM_LEGACY, nullptr,
                           nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuStreamBeginCapture_v2)(CU_STREAM_LEGACY, CU_STREAM_CAPTURE_MODE_RELAXED) ==
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

TEST_CASE("a capture tells where it is, and nodes can be put into it by hand") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(16);
  StepKernel kernel(module, block.address());
  const GraphStream stream;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  cuuint64_t id = 0;
  CUgraph inner = nullptr;
  const CUgraphNode* last = nullptr;
  const CUgraphEdgeData* edges = nullptr;
  std::size_t count = 99;
  REQUIRE(CU(cuStreamGetCaptureInfo_v3)(stream.handle, &status, &id, &inner, &last, &edges,
                                        &count) == CUDA_SUCCESS);
  CHECK(status == CU_STREAM_CAPTURE_STATUS_NONE);
  stream.begin();
  kernel.launch(stream);
  REQUIRE(CU(cuStreamGetCaptureInfo_v3)(stream.handle, &status, &id, &inner, &last, &edges,
                                        &count) == CUDA_SUCCESS);
  CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CHECK(id != 0);
  REQUIRE(inner != nullptr);
  REQUIRE(count == 1);
  CHECK(type_of(last[0]) == CU_GRAPH_NODE_TYPE_KERNEL);
  const CUgraphNode before = last[0];
  cuuint64_t again = 0;
  REQUIRE(CU(cuStreamGetCaptureInfo_v2)(stream.handle, &status, &again, nullptr, &last, &count) ==
          CUDA_SUCCESS);
  CHECK(again == id);
  CHECK(count == 1);
  CUgraphNode fill = add_fill(inner, block.address(), 2, {before});
  REQUIRE(CU(cuStreamUpdateCaptureDependencies)(
              stream.handle, &fill, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES) == CUDA_SUCCESS);
  kernel.launch(stream);
  CUgraphNode empty = add_empty(inner);
  REQUIRE(CU(cuStreamUpdateCaptureDependencies_v2)(stream.handle, &empty, nullptr, 1,
                                                   CU_STREAM_ADD_CAPTURE_DEPENDENCIES) ==
          CUDA_SUCCESS);
  REQUIRE(CU(cuStreamGetCaptureInfo_v2)(stream.handle, &status, nullptr, nullptr, nullptr,
                                        &count) == CUDA_SUCCESS);
  CHECK(count == 2);
  CHECK(CU(cuStreamUpdateCaptureDependencies)(stream.handle, &empty, 1, 7) ==
        CUDA_ERROR_INVALID_VALUE);
  CUgraph made = nullptr;
  REQUIRE(stream.end(&made) == CUDA_SUCCESS);
  CHECK(made == inner);
  const OwnGraph graph(made);
  OwnExec(graph.handle).run(stream);
  CHECK(read_word(block.address()) == step(2));
  CHECK(CU(cuStreamUpdateCaptureDependencies)(stream.handle, &empty, 1, 0) ==
        CUDA_ERROR_ILLEGAL_STATE);
}

TEST_CASE("a capture can go on in a graph that is there") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(16);
  StepKernel kernel(module, block.address());
  const GraphStream stream;
  const OwnGraph graph;
  const CUgraphNode fill = add_fill(graph.handle, block.address(), 4);
  REQUIRE(CU(cuStreamBeginCaptureToGraph)(stream.handle, graph.handle, &fill, nullptr, 1,
                                          CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) == CUDA_SUCCESS);
  kernel.launch(stream);
  CUgraph made = nullptr;
  REQUIRE(stream.end(&made) == CUDA_SUCCESS);
  CHECK(made == graph.handle);
  CHECK(graph.nodes().size() == 2);
  CHECK(graph.edge_count() == 1);
  OwnExec(graph.handle).run(stream);
  CHECK(read_word(block.address()) == step(4));
}

TEST_CASE("the end of a capture in a graph that is there need not tell the graph") {
  const CurrentContext context;
  const GraphStream stream;
  const OwnGraph graph;
  REQUIRE(CU(cuStreamBeginCaptureToGraph)(stream.handle, graph.handle, nullptr, nullptr, 0,
                                          CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) == CUDA_SUCCESS);
  CHECK(CU(cuStreamEndCapture)(stream.handle, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuStreamEndCapture)(stream.handle, nullptr) != CUDA_SUCCESS);
}

TEST_CASE("executables are not launched in captured streams") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(16);
  StepKernel kernel(module, block.address());
  const GraphStream stream;
  const OwnGraph inner;
  kernel.add(inner.handle);
  const OwnExec exec(inner.handle);
  stream.begin();
  CHECK(CU(cuGraphLaunch)(exec.handle, stream.handle) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CUgraph made = nullptr;
  if (stream.end(&made) == CUDA_SUCCESS) CHECK(CU(cuGraphDestroy)(made) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemsetD32Async)(block.address(), 1, 1, stream.handle) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphLaunch)(exec.handle, stream.handle) == CUDA_SUCCESS);
  stream.wait();
  CHECK(read_word(block.address()) == step(1));
}

TEST_CASE("captures begin and end once") {
  const CurrentContext context;
  const GraphStream stream;
  CUgraph made = nullptr;
  CHECK(stream.end(&made) == CUDA_ERROR_ILLEGAL_STATE);
  CHECK(CU(cuStreamBeginCapture_v2)(stream.handle, outside<CUstreamCaptureMode>(9)) ==
        CUDA_ERROR_INVALID_VALUE);
  stream.begin();
  CHECK(CU(cuStreamBeginCapture_v2)(stream.handle, CU_STREAM_CAPTURE_MODE_RELAXED) ==
        CUDA_ERROR_ILLEGAL_STATE);
  REQUIRE(stream.end(&made) == CUDA_SUCCESS);
  const OwnGraph graph(made);
  CHECK(graph.nodes().empty());
  OwnExec(graph.handle).run(stream);
}

TEST_CASE("a thread's own stream can be captured") {
  const CurrentContext context;
  const DeviceBlock block(16);
  REQUIRE(CU(cuStreamBeginCapture_v2_ptsz)(nullptr, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) ==
          CUDA_SUCCESS);
  CHECK(CU(cuMemsetD32Async_ptsz)(block.address(), 6, 1, nullptr) == CUDA_SUCCESS);
  CUgraph made = nullptr;
  REQUIRE(CU(cuStreamEndCapture_ptsz)(nullptr, &made) == CUDA_SUCCESS);
  const OwnGraph graph(made);
  const OwnExec exec(graph.handle);
  REQUIRE(CU(cuGraphLaunch_ptsz)(exec.handle, nullptr) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize_ptsz)(nullptr) == CUDA_SUCCESS);
  CHECK(read_word(block.address()) == 6);
}

TEST_CASE("a context that ends takes its captures along") {
  const CurrentContext outer;
  {
    const CurrentContext context;
    CUstream stream = nullptr;
    REQUIRE(CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    REQUIRE(CU(cuStreamBeginCapture_v2)(stream, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  }
  // Nothing is captured any more.
  CUdeviceptr address = 0;
  CHECK(CU(cuCtxSetCurrent)(outer.handle()) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemAlloc_v2)(&address, 64) == CUDA_SUCCESS);
  CHECK(CU(cuMemFree_v2)(address) == CUDA_SUCCESS);
}
