// SPDX-License-Identifier: MIT
// What graphs keep, and what goes without them.
#include <string>

#include "driver/graph_scene.h"

using namespace driver_test;

TEST_CASE("a graph keeps the code of its kernels") {
  const CurrentContext context;
  const DeviceBlock block(16);
  const GraphStream stream;
  const OwnGraph graph;
  CUgraphExec exec = nullptr;
  if (!is_cpu_driver()) return;  // NVIDIA's driver leaves it to the program
  {
    const LoadedModule module(kernels_ptx);
    StepKernel kernel(module, block.address());
    kernel.add(graph.handle, {add_fill(graph.handle, block.address(), 1)});
    REQUIRE(CU(cuGraphInstantiateWithFlags)(&exec, graph.handle, 0) == CUDA_SUCCESS);
  }
  REQUIRE(CU(cuGraphLaunch)(exec, stream.handle) == CUDA_SUCCESS);
  stream.wait();
  CHECK(read_word(block.address()) == step(1));
  CHECK(CU(cuGraphExecDestroy)(exec) == CUDA_SUCCESS);
}

TEST_CASE("a graph whose context has ended is refused") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  const GraphStream stream;
  const OwnGraph graph;
  CUgraphExec exec = nullptr;
  {
    const CurrentContext other;
    const LoadedModule module(kernels_ptx);
    const DeviceBlock block(16);
    StepKernel kernel(module, block.address());
    kernel.add(graph.handle);
    REQUIRE(CU(cuGraphInstantiateWithFlags)(&exec, graph.handle, 0) == CUDA_SUCCESS);
  }
  REQUIRE(CU(cuCtxSetCurrent)(context.handle()) == CUDA_SUCCESS);
  CHECK(CU(cuGraphLaunch)(exec, stream.handle) == CUDA_ERROR_CONTEXT_IS_DESTROYED);
  CHECK(CU(cuGraphExecDestroy)(exec) == CUDA_SUCCESS);
}

TEST_CASE("copies and fills of memory that is gone are faults of the context") {
  if (!is_cpu_driver()) return;  // its faults stay in their context
  for (const bool copies : {false, true}) {
    const CurrentContext context;
    const GraphStream stream;
    const OwnGraph graph;
    const DeviceBlock stays(1 << 16);
    {
      const DeviceBlock goes(1 << 16);
      if (copies) {
        const CUDA_MEMCPY3D spec = copy_of(CU_MEMORYTYPE_DEVICE, nullptr, stays.address(),
                                           CU_MEMORYTYPE_DEVICE, nullptr, goes.address(), 1 << 16);
        CUgraphNode node = nullptr;
        REQUIRE(CU(cuGraphAddMemcpyNode)(&node, graph.handle, nullptr, 0, &spec,
                                         context.handle()) == CUDA_SUCCESS);
      } else {
        add_fill(graph.handle, goes.address(), 1);
      }
    }
    const OwnExec exec(graph.handle);
    CHECK(CU(cuGraphLaunch)(exec.handle, stream.handle) == CUDA_SUCCESS);
    CHECK(CU(cuStreamSynchronize)(stream.handle) == CUDA_ERROR_ILLEGAL_ADDRESS);
    char text[512] = "";
    reinterpret_cast<CUresult (*)(char*, std::size_t)>(symbol("cuCpuGetLastFault"))(text,
                                                                                    sizeof text);
    CHECK(std::string(text).find("of a graph") != std::string::npos);
  }
}

TEST_CASE("an executable waits for another event from then on") {
  const CurrentContext context;
  const GraphEvent first;
  const GraphEvent second;
  const GraphStream stream;
  const OwnGraph graph;
  CUgraphNode wait = nullptr;
  REQUIRE(CU(cuGraphAddEventWaitNode)(&wait, graph.handle, nullptr, 0, first.handle) ==
          CUDA_SUCCESS);
  const OwnExec exec(graph.handle);
  CHECK(CU(cuGraphExecEventWaitNodeSetEvent)(exec.handle, wait, second.handle) == CUDA_SUCCESS);
  CHECK(CU(cuGraphLaunch)(exec.handle, stream.handle) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream.handle) == CUDA_SUCCESS);
  CUevent told = nullptr;
  CHECK(CU(cuGraphEventWaitNodeGetEvent)(wait, &told) == CUDA_SUCCESS);
  CHECK(told == first.handle);  // the graph keeps its own
  CHECK(CU(cuGraphExecEventWaitNodeSetEvent)(exec.handle, wait, nullptr) != CUDA_SUCCESS);
  CHECK(CU(cuGraphExecEventWaitNodeSetEvent)(exec.handle, nullptr, second.handle) != CUDA_SUCCESS);
}

TEST_CASE("copies between arrays and host memory in a captured stream") {
  const CurrentContext context;
  const GraphStream stream;
  CUDA_ARRAY_DESCRIPTOR shape{};
  shape.Width = 4;
  shape.Format = CU_AD_FORMAT_UNSIGNED_INT32;
  shape.NumChannels = 1;
  CUarray array = nullptr;
  REQUIRE(CU(cuArrayCreate_v2)(&array, &shape) == CUDA_SUCCESS);
  void* host = nullptr;
  REQUIRE(CU(cuMemAllocHost_v2)(&host, 32) == CUDA_SUCCESS);
  auto* const numbers = static_cast<unsigned*>(host);
  stream.begin();
  REQUIRE(CU(cuMemcpyHtoAAsync_v2)(array, 0, numbers, 16, stream.handle) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemcpyAtoHAsync_v2)(numbers + 4, array, 4, 12, stream.handle) == CUDA_SUCCESS);
  CUgraph made = nullptr;
  REQUIRE(stream.end(&made) == CUDA_SUCCESS);
  const OwnGraph graph(made);
  const OwnExec exec(graph.handle);
  for (unsigned i = 0; i < 8; ++i) numbers[i] = i + 1;
  exec.run(stream);
  CHECK(numbers[4] == 2);
  CHECK(numbers[6] == 4);
  CHECK(numbers[7] == 8);
  CHECK(CU(cuArrayDestroy)(array) == CUDA_SUCCESS);
  CHECK(CU(cuMemFreeHost)(host) == CUDA_SUCCESS);
}

TEST_CASE("a child graph may move into its node, with its memory") {
  const CurrentContext context;
  const GraphStream stream;
  const DeviceBlock block(16);
  CUgraph inner = nullptr;
  REQUIRE(CU(cuGraphCreate)(&inner, 0) == CUDA_SUCCESS);
  add_fill(inner, block.address(), 6);
  const OwnGraph graph;
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_GRAPH;
  params.graph.graph = inner;
  params.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
  CUgraphNode node = nullptr;
  REQUIRE(CU(cuGraphAddNode_v2)(&node, graph.handle, nullptr, nullptr, 0, &params) == CUDA_SUCCESS);
  if (is_cpu_driver()) CHECK(CU(cuGraphDestroy)(inner) == CUDA_ERROR_INVALID_VALUE);
  OwnExec(graph.handle).run(stream);
  CHECK(read_word(block.address()) == 6);
}

TEST_CASE("a graph does not move into a graph of its own nodes") {
  if (!is_cpu_driver()) return;  // NVIDIA's driver is not asked: it may do anything
  const CurrentContext context;
  CUgraph inner = nullptr, outer = nullptr;
  REQUIRE(CU(cuGraphCreate)(&inner, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphCreate)(&outer, 0) == CUDA_SUCCESS);
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_GRAPH;
  params.graph.graph = inner;
  params.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
  CUgraphNode node = nullptr;
  REQUIRE(CU(cuGraphAddNode_v2)(&node, outer, nullptr, nullptr, 0, &params) == CUDA_SUCCESS);
  CUgraph moved = nullptr;
  REQUIRE(CU(cuGraphChildGraphNodeGetGraph)(node, &moved) == CUDA_SUCCESS);
  params.graph.graph = outer;
  CHECK(CU(cuGraphAddNode_v2)(&node, moved, nullptr, nullptr, 0, &params) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphDestroy)(outer) == CUDA_SUCCESS);
}
