// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "driver/graph_scene.h"

using namespace driver_test;

TEST_CASE("a graph made by hand runs its nodes in the order of its edges") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(16);
  StepKernel kernel(module, block.address());
  const GraphStream stream;
  const OwnGraph graph;
  // Added from the last one to the first one.
  unsigned host = 0;
  CUgraphNode copy = nullptr;
  const CUDA_MEMCPY3D out =
      copy_of(CU_MEMORYTYPE_HOST, &host, 0, CU_MEMORYTYPE_DEVICE, nullptr, block.address(), 4);
  REQUIRE(CU(cuGraphAddMemcpyNode)(&copy, graph.handle, nullptr, 0, &out, context.handle()) ==
          CUDA_SUCCESS);
  const CUgraphNode second = kernel.add(graph.handle);
  const CUgraphNode first = kernel.add(graph.handle);
  const CUgraphNode fill = add_fill(graph.handle, block.address(), 5);
  const CUgraphNode from[] = {fill, first, second};
  const CUgraphNode to[] = {first, second, copy};
  REQUIRE(CU(cuGraphAddDependencies_v2)(graph.handle, from, to, nullptr, 3) == CUDA_SUCCESS);
  const OwnExec exec(graph.handle);
  exec.run(stream);
  CHECK(host == step(5, 2));
  // A graph may change and go: what was made of it stays.
  REQUIRE(CU(cuGraphDestroyNode)(first) == CUDA_SUCCESS);
  exec.run(stream);
  CHECK(host == step(5, 2));
}

TEST_CASE("graphs tell their nodes and edges, in as many as there is room for") {
  const CurrentContext context;
  const OwnGraph graph;
  const CUgraphNode top = add_empty(graph.handle);
  const CUgraphNode left = add_empty(graph.handle, {top});
  const CUgraphNode right = add_empty(graph.handle, {top});
  const CUgraphNode bottom = add_empty(graph.handle, {left, right});
  CHECK(graph.nodes().size() == 4);
  CHECK(graph.edge_count() == 4);
  std::size_t count = 0;
  REQUIRE(CU(cuGraphGetRootNodes)(graph.handle, nullptr, &count) == CUDA_SUCCESS);
  REQUIRE(count == 1);
  CUgraphNode room[6] = {bottom, bottom, bottom, bottom, bottom, bottom};
  count = 3;
  REQUIRE(CU(cuGraphGetRootNodes)(graph.handle, room, &count) == CUDA_SUCCESS);
  CHECK(count == 1);
  CHECK(room[0] == top);
  CHECK(room[1] == nullptr);
  CHECK(room[2] == nullptr);
  CHECK(room[3] == bottom);
  count = 2;
  REQUIRE(CU(cuGraphGetNodes)(graph.handle, room, &count) == CUDA_SUCCESS);
  CHECK(count == 2);
  CUgraphNode ends[6] = {};
  CUgraphEdgeData data[6];
  count = 6;
  REQUIRE(CU(cuGraphGetEdges_v2)(graph.handle, room, ends, data, &count) == CUDA_SUCCESS);
  REQUIRE(count == 4);
  CHECK(room[4] == nullptr);
  int known = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    known += room[i] == top && (ends[i] == left || ends[i] == right) ? 1 : 0;
    known += ends[i] == bottom && (room[i] == left || room[i] == right) ? 1 : 0;
    CHECK(data[i].type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT);
  }
  CHECK(known == 4);
  REQUIRE(CU(cuGraphNodeGetDependencies)(bottom, nullptr, &count) == CUDA_SUCCESS);
  CHECK(count == 2);
  count = 6;
  REQUIRE(CU(cuGraphNodeGetDependencies_v2)(left, room, nullptr, &count) == CUDA_SUCCESS);
  CHECK(count == 1);
  CHECK(room[0] == top);
  REQUIRE(CU(cuGraphNodeGetDependentNodes)(top, nullptr, &count) == CUDA_SUCCESS);
  CHECK(count == 2);
  count = 6;
  REQUIRE(CU(cuGraphNodeGetDependentNodes_v2)(right, room, data, &count) == CUDA_SUCCESS);
  CHECK(count == 1);
  CHECK(room[0] == bottom);
  CHECK(CU(cuGraphGetNodes)(graph.handle, room, nullptr) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("edges come and go, and never make a circle") {
  const CurrentContext context;
  const OwnGraph graph;
  const CUgraphNode a = add_empty(graph.handle);
  const CUgraphNode b = add_empty(graph.handle, {a});
  const CUgraphNode c = add_empty(graph.handle, {b});
  const auto add = [&](CUgraphNode from, CUgraphNode to) {
    return CU(cuGraphAddDependencies)(graph.handle, &from, &to, 1);
  };
  const auto remove = [&](CUgraphNode from, CUgraphNode to) {
    return CU(cuGraphRemoveDependencies)(graph.handle, &from, &to, 1);
  };
  CHECK(add(a, b) == CUDA_ERROR_INVALID_VALUE);  // it is there
  CHECK(add(a, c) == CUDA_SUCCESS);
  CHECK(graph.edge_count() == 3);
  CHECK(remove(a, c) == CUDA_SUCCESS);
  CHECK(remove(a, c) == CUDA_ERROR_INVALID_VALUE);
  CHECK(add(a, a) == CUDA_ERROR_INVALID_VALUE);
  CHECK(remove(b, c) == CUDA_SUCCESS);
  CHECK(add(c, a) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphRemoveDependencies_v2)(graph.handle, &a, &b, nullptr, 1) == CUDA_SUCCESS);
  CHECK(graph.edge_count() == 1);
  REQUIRE(CU(cuGraphDestroyNode)(a) == CUDA_SUCCESS);
  CHECK(graph.edge_count() == 0);
  CHECK(graph.nodes().size() == 2);
  const CUgraphNode twice[] = {b, b};
  CUgraphNode node = nullptr;
  CHECK(CU(cuGraphAddEmptyNode)(&node, graph.handle, twice, 2) == CUDA_ERROR_INVALID_VALUE);
  const OwnGraph other;
  const CUgraphNode foreign = add_empty(other.handle);
  CHECK(CU(cuGraphAddEmptyNode)(&node, graph.handle, &foreign, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphAddEmptyNode)(nullptr, graph.handle, nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a circle is refused") {
  if (!is_cpu_driver()) return;  // others may find it only when the graph is instantiated
  const CurrentContext context;
  const OwnGraph graph;
  const CUgraphNode a = add_empty(graph.handle);
  const CUgraphNode b = add_empty(graph.handle, {a});
  const CUgraphNode c = add_empty(graph.handle, {b});
  CHECK(CU(cuGraphAddDependencies_v2)(graph.handle, &c, &a, nullptr, 1) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("nodes give their parameters back and take others") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(64);
  const GraphStream stream;
  const OwnGraph graph;

  SUBCASE("kernel") {
    CUdeviceptr to = block.address();
    unsigned count = 4;
    unsigned value = 9;
    void* arguments[] = {&to, &count, &value};
    CUDA_KERNEL_NODE_PARAMS params{};
    params.func = module.function("fill");
    params.gridDimX = 2;
    params.gridDimY = params.gridDimZ = params.blockDimY = params.blockDimZ = 1;
    params.blockDimX = 32;
    params.kernelParams = arguments;
    CUgraphNode node = nullptr;
    REQUIRE(CU(cuGraphAddKernelNode_v2)(&node, graph.handle, nullptr, 0, &params) == CUDA_SUCCESS);
    value = 1;  // the node has what was there before
    CHECK(type_of(node) == CU_GRAPH_NODE_TYPE_KERNEL);
    CUDA_KERNEL_NODE_PARAMS told{};
    REQUIRE(CU(cuGraphKernelNodeGetParams_v2)(node, &told) == CUDA_SUCCESS);
    CHECK(told.func == params.func);
    CHECK(told.gridDimX == 2);
    CHECK(told.blockDimX == 32);
    REQUIRE(told.kernelParams != nullptr);
    CHECK(*static_cast<unsigned*>(told.kernelParams[2]) == 9);
    OwnExec(graph.handle).run(stream);
    CHECK(read_word(block.address()) == 9);
    REQUIRE(CU(cuGraphKernelNodeSetParams_v2)(node, &params) == CUDA_SUCCESS);
    OwnExec(graph.handle).run(stream);
    CHECK(read_word(block.address() + 12) == 1);
    params.blockDimX = 4096;
    CHECK(CU(cuGraphKernelNodeSetParams_v2)(node, &params) == CUDA_ERROR_INVALID_VALUE);
    CHECK(CU(cuGraphKernelNodeGetParams_v2)(node, nullptr) == CUDA_ERROR_INVALID_VALUE);
    // Packed arguments.
    struct {
      CUdeviceptr to;
      unsigned count, value;
    } packed{block.address(), 4, 77};
    std::size_t bytes = sizeof packed;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    params.blockDimX = 32;
    params.kernelParams = nullptr;
    params.extra = extra;
    REQUIRE(CU(cuGraphKernelNodeSetParams_v2)(node, &params) == CUDA_SUCCESS);
    OwnExec(graph.handle).run(stream);
    CHECK(read_word(block.address() + 4) == 77);
  }
  SUBCASE("memcpy") {
    unsigned host = 0;
    write_word(block.address(), 11);
    write_word(block.address() + 4, 12);
    CUDA_MEMCPY3D spec =
        copy_of(CU_MEMORYTYPE_HOST, &host, 0, CU_MEMORYTYPE_DEVICE, nullptr, block.address(), 4);
    CUgraphNode node = nullptr;
    REQUIRE(CU(cuGraphAddMemcpyNode)(&node, graph.handle, nullptr, 0, &spec, context.handle()) ==
            CUDA_SUCCESS);
    CUDA_MEMCPY3D told{};
    REQUIRE(CU(cuGraphMemcpyNodeGetParams)(node, &told) == CUDA_SUCCESS);
    CHECK(told.srcDevice == block.address());
    CHECK(told.WidthInBytes == 4);
    spec.srcDevice += 4;
    REQUIRE(CU(cuGraphMemcpyNodeSetParams)(node, &spec) == CUDA_SUCCESS);
    OwnExec(graph.handle).run(stream);
    CHECK(host == 12);
  }
  SUBCASE("memset") {
    const CUgraphNode node = add_fill(graph.handle, block.address(), 3);
    CUDA_MEMSET_NODE_PARAMS told{};
    REQUIRE(CU(cuGraphMemsetNodeGetParams)(node, &told) == CUDA_SUCCESS);
    CHECK(told.dst == block.address());
    CHECK(told.value == 3);
    told.value = 8;
    REQUIRE(CU(cuGraphMemsetNodeSetParams)(node, &told) == CUDA_SUCCESS);
    OwnExec(graph.handle).run(stream);
    CHECK(read_word(block.address()) == 8);
    told.elementSize = 3;
    CHECK(CU(cuGraphMemsetNodeSetParams)(node, &told) == CUDA_ERROR_INVALID_VALUE);
  }
  SUBCASE("host") {
    std::atomic<int> calls{0};
    const CUhostFn once = [](void* data) { ++*static_cast<std::atomic<int>*>(data); };
    const CUhostFn ten = [](void* data) { *static_cast<std::atomic<int>*>(data) += 10; };
    CUDA_HOST_NODE_PARAMS params{once, &calls};
    CUgraphNode node = nullptr;
    REQUIRE(CU(cuGraphAddHostNode)(&node, graph.handle, nullptr, 0, &params) == CUDA_SUCCESS);
    CUDA_HOST_NODE_PARAMS told{};
    REQUIRE(CU(cuGraphHostNodeGetParams)(node, &told) == CUDA_SUCCESS);
    CHECK((told.fn == once));
    CHECK(told.userData == &calls);
    OwnExec(graph.handle).run(stream);
    params.fn = ten;
    REQUIRE(CU(cuGraphHostNodeSetParams)(node, &params) == CUDA_SUCCESS);
    OwnExec(graph.handle).run(stream);
    CHECK(calls == 11);
  }
  SUBCASE("events") {
    const GraphEvent one;
    const GraphEvent two;
    CUgraphNode record = nullptr;
    CUgraphNode wait = nullptr;
    REQUIRE(CU(cuGraphAddEventRecordNode)(&record, graph.handle, nullptr, 0, one.handle) ==
            CUDA_SUCCESS);
    REQUIRE(CU(cuGraphAddEventWaitNode)(&wait, graph.handle, &record, 1, one.handle) ==
            CUDA_SUCCESS);
    CUevent told = nullptr;
    REQUIRE(CU(cuGraphEventRecordNodeGetEvent)(record, &told) == CUDA_SUCCESS);
    CHECK(told == one.handle);
    REQUIRE(CU(cuGraphEventWaitNodeSetEvent)(wait, two.handle) == CUDA_SUCCESS);
    REQUIRE(CU(cuGraphEventWaitNodeGetEvent)(wait, &told) == CUDA_SUCCESS);
    CHECK(told == two.handle);
    REQUIRE(CU(cuGraphEventRecordNodeSetEvent)(record, two.handle) == CUDA_SUCCESS);
    OwnExec(graph.handle).run(stream);
    CHECK(CU(cuEventQuery)(two.handle) == CUDA_SUCCESS);
    CHECK(CU(cuGraphEventRecordNodeGetEvent)(wait, &told) == CUDA_ERROR_INVALID_VALUE);
  }
}

TEST_CASE("the general functions make and change nodes of all kinds") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(64);
  const GraphStream stream;
  const OwnGraph graph;
  const auto add = [&](CUgraphNodeParams& params, CUgraphNode after) {
    CUgraphNode node = nullptr;
    REQUIRE(CU(cuGraphAddNode_v2)(&node, graph.handle, &after, nullptr, after != nullptr ? 1 : 0,
                                  &params) == CUDA_SUCCESS);
    CHECK(type_of(node) == params.type);
    return node;
  };
  CUgraphNodeParams fill{};
  fill.type = CU_GRAPH_NODE_TYPE_MEMSET;
  fill.memset = {block.address(), 0, 2, 4, 1, 1, context.handle()};
  const CUgraphNode first = add(fill, nullptr);
  CUgraphNodeParams kernel{};
  kernel.type = CU_GRAPH_NODE_TYPE_KERNEL;
  CUdeviceptr to = block.address();
  void* arguments[] = {&to};
  kernel.kernel.func = module.function("step");
  kernel.kernel.gridDimX = kernel.kernel.gridDimY = kernel.kernel.gridDimZ = 1;
  kernel.kernel.blockDimX = kernel.kernel.blockDimY = kernel.kernel.blockDimZ = 1;
  kernel.kernel.kernelParams = arguments;
  const CUgraphNode second = add(kernel, first);
  CUgraphNodeParams copy{};
  copy.type = CU_GRAPH_NODE_TYPE_MEMCPY;
  copy.memcpy.copyCtx = context.handle();
  copy.memcpy.copyParams = copy_of(CU_MEMORYTYPE_DEVICE, nullptr, block.address() + 4,
                                   CU_MEMORYTYPE_DEVICE, nullptr, block.address(), 4);
  const CUgraphNode third = add(copy, second);
  CUgraphNodeParams empty{};
  empty.type = CU_GRAPH_NODE_TYPE_EMPTY;
  const CUgraphNode fourth = add(empty, third);
  std::atomic<int> calls{0};
  CUgraphNodeParams host{};
  host.type = CU_GRAPH_NODE_TYPE_HOST;
  host.host.fn = [](void* data) { ++*static_cast<std::atomic<int>*>(data); };
  host.host.userData = &calls;
  add(host, fourth);
  OwnExec(graph.handle).run(stream);
  CHECK(read_word(block.address() + 4) == step(2));
  CHECK(calls == 1);
  fill.memset.value = 4;
  REQUIRE(CU(cuGraphNodeSetParams)(first, &fill) == CUDA_SUCCESS);
  const OwnExec exec(graph.handle);
  exec.run(stream);
  CHECK(read_word(block.address() + 4) == step(4));
  fill.memset.value = 6;
  REQUIRE(CU(cuGraphExecNodeSetParams)(exec.handle, first, &fill) == CUDA_SUCCESS);
  exec.run(stream);
  CHECK(read_word(block.address() + 4) == step(6));
  CHECK(CU(cuGraphNodeSetParams)(first, &kernel) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a child graph is a copy that runs as one node") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(16);
  StepKernel kernel(module, block.address());
  const GraphStream stream;
  const OwnGraph graph;
  CUgraphNode child = nullptr;
  const CUgraphNode fill = add_fill(graph.handle, block.address(), 1);
  {
    const OwnGraph inner;
    kernel.add(inner.handle, {kernel.add(inner.handle)});
    REQUIRE(CU(cuGraphAddChildGraphNode)(&child, graph.handle, &fill, 1, inner.handle) ==
            CUDA_SUCCESS);
    kernel.add(inner.handle);  // does not come in any more
  }
  kernel.add(graph.handle, {child});
  OwnExec(graph.handle).run(stream);
  CHECK(read_word(block.address()) == step(1, 3));
  CUgraph own = nullptr;
  REQUIRE(CU(cuGraphChildGraphNodeGetGraph)(child, &own) == CUDA_SUCCESS);
  std::size_t count = 0;
  REQUIRE(CU(cuGraphGetNodes)(own, nullptr, &count) == CUDA_SUCCESS);
  CHECK(count == 2);
  std::vector<CUgraphNode> inner(count);
  REQUIRE(CU(cuGraphGetNodes)(own, inner.data(), &count) == CUDA_SUCCESS);
  kernel.add(own, {inner[1]});  // this does
  OwnExec(graph.handle).run(stream);
  CHECK(read_word(block.address()) == step(1, 4));
}

TEST_CASE("clones are graphs of their own, whose nodes can be found") {
  const CurrentContext context;
  const DeviceBlock block(16);
  const GraphStream stream;
  const OwnGraph graph;
  const CUgraphNode fill = add_fill(graph.handle, block.address(), 1);
  CUgraph made = nullptr;
  REQUIRE(CU(cuGraphClone)(&made, graph.handle) == CUDA_SUCCESS);
  const OwnGraph clone(made);
  CUgraphNode found = nullptr;
  REQUIRE(CU(cuGraphNodeFindInClone)(&found, fill, clone.handle) == CUDA_SUCCESS);
  CHECK(found != fill);
  const CUDA_MEMSET_NODE_PARAMS other = words(block.address(), 7);
  REQUIRE(CU(cuGraphMemsetNodeSetParams)(found, &other) == CUDA_SUCCESS);
  OwnExec(clone.handle).run(stream);
  CHECK(read_word(block.address()) == 7);
  OwnExec(graph.handle).run(stream);
  CHECK(read_word(block.address()) == 1);
  const OwnGraph stranger;
  CHECK(CU(cuGraphNodeFindInClone)(&found, fill, stranger.handle) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("attributes of kernels' nodes") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(16);
  StepKernel kernel(module, block.address());
  const OwnGraph graph;
  const CUgraphNode one = kernel.add(graph.handle);
  const CUgraphNode two = kernel.add(graph.handle);
  CUkernelNodeAttrValue value{};
  value.cooperative = 1;
  REQUIRE(CU(cuGraphKernelNodeSetAttribute)(one, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value) ==
          CUDA_SUCCESS);
  value.cooperative = 0;
  REQUIRE(CU(cuGraphKernelNodeCopyAttributes)(two, one) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphKernelNodeGetAttribute)(two, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value) ==
          CUDA_SUCCESS);
  CHECK(value.cooperative == 1);
}

TEST_CASE("edges can say more than order, and are not lost silently") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(16);
  StepKernel kernel(module, block.address());
  const OwnGraph graph;
  const CUgraphNode one = kernel.add(graph.handle);
  const CUgraphNode two = kernel.add(graph.handle);
  CUgraphEdgeData data{};
  data.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
  data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  REQUIRE(CU(cuGraphAddDependencies_v2)(graph.handle, &one, &two, &data, 1) == CUDA_SUCCESS);
  CUgraphNode from = nullptr;
  CUgraphNode to = nullptr;
  std::size_t count = 1;
  CHECK(CU(cuGraphGetEdges)(graph.handle, &from, &to, &count) == CUDA_ERROR_LOSSY_QUERY);
  CUgraphEdgeData told{};
  count = 1;
  REQUIRE(CU(cuGraphGetEdges_v2)(graph.handle, &from, &to, &told, &count) == CUDA_SUCCESS);
  CHECK(told.type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
  CHECK(told.from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
}

TEST_CASE("graphs keep the program's objects alive") {
  const CurrentContext context;
  std::atomic<int> destroyed{0};
  CUuserObject object = nullptr;
  const CUhostFn destroy = [](void* data) { ++*static_cast<std::atomic<int>*>(data); };
  REQUIRE(CU(cuUserObjectCreate)(&object, &destroyed, destroy, 1,
                                 CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) == CUDA_SUCCESS);
  REQUIRE(CU(cuUserObjectRetain)(object, 1) == CUDA_SUCCESS);
  REQUIRE(CU(cuUserObjectRelease)(object, 1) == CUDA_SUCCESS);
  CHECK(destroyed == 0);
  {
    const OwnGraph graph;
    REQUIRE(CU(cuGraphRetainUserObject)(graph.handle, object, 1, CU_GRAPH_USER_OBJECT_MOVE) ==
            CUDA_SUCCESS);
    add_empty(graph.handle);
    const OwnExec exec(graph.handle);
    REQUIRE(CU(cuGraphReleaseUserObject)(graph.handle, object, 1) == CUDA_SUCCESS);
    CHECK(destroyed == 0);  // the executable has its own reference
  }
  while (destroyed == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(destroyed == 1);
  CHECK(CU(cuUserObjectCreate)(&object, nullptr, nullptr, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a graph can be printed for Graphviz") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(16);
  StepKernel kernel(module, block.address());
  const OwnGraph graph;
  kernel.add(graph.handle, {add_fill(graph.handle, block.address(), 1)});
  const std::string path =
      (std::filesystem::temp_directory_path() / ("graph_test_" + std::to_string(getpid()) + ".dot"))
          .string();
  REQUIRE(CU(cuGraphDebugDotPrint)(graph.handle, path.c_str(), CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE) ==
          CUDA_SUCCESS);
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::remove(path.c_str());
  CHECK(text.str().find("digraph") != std::string::npos);
  CHECK(text.str().find("step") != std::string::npos);
  CHECK(text.str().find("->") != std::string::npos);
  CHECK(CU(cuGraphDebugDotPrint)(graph.handle, "/no/such/folder/x.dot", 0) != CUDA_SUCCESS);
}

TEST_CASE("handles of graphs that never were are refused") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  const GraphStream stream;
  auto* const wild = reinterpret_cast<CUgraph>(std::uintptr_t{0x1234});
  auto* const wild_node = reinterpret_cast<CUgraphNode>(std::uintptr_t{0x1234});
  auto* const wild_exec = reinterpret_cast<CUgraphExec>(std::uintptr_t{0x1234});
  CUgraphNode node = nullptr;
  CUgraphNodeType type{};
  std::size_t count = 0;
  CHECK(CU(cuGraphDestroy)(wild) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphDestroy)(nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphGetNodes)(wild, nullptr, &count) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphAddEmptyNode)(&node, wild, nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphNodeGetType)(wild_node, &type) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphDestroyNode)(wild_node) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphLaunch)(wild_exec, stream.handle) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphExecDestroy)(wild_exec) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphCreate)(nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
  CUgraph graph = nullptr;
  CHECK(CU(cuGraphCreate)(&graph, 1) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(CU(cuGraphCreate)(&graph, 0) == CUDA_SUCCESS);
  const CUgraphNode stale = add_empty(graph);
  REQUIRE(CU(cuGraphDestroy)(graph) == CUDA_SUCCESS);
  CHECK(CU(cuGraphDestroy)(graph) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphNodeGetType)(stale, &type) == CUDA_ERROR_INVALID_VALUE);
}
