// SPDX-License-Identifier: MIT
#include <algorithm>

#include "driver/graph_scene.h"

using namespace driver_test;

namespace {

CUDA_MEM_ALLOC_NODE_PARAMS bytes_of_device(std::size_t bytes) {
  CUDA_MEM_ALLOC_NODE_PARAMS params{};
  params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  params.poolProps.location.id = 0;
  params.bytesize = bytes;
  return params;
}

cuuint64_t graph_memory(CUgraphMem_attribute attribute) {
  cuuint64_t bytes = ~cuuint64_t{0};
  REQUIRE(CU(cuDeviceGetGraphMemAttribute)(0, attribute, &bytes) == CUDA_SUCCESS);
  return bytes;
}

struct AllocatingGraph {
  explicit AllocatingGraph(const LoadedModule& module, std::size_t bytes = 4096)
      : params(bytes_of_device(bytes)) {
    REQUIRE(CU(cuGraphAddMemAllocNode)(&alloc, graph.handle, nullptr, 0, &params) == CUDA_SUCCESS);
    REQUIRE(params.dptr != 0);
    StepKernel kernel(module, params.dptr);
    last = kernel.add(graph.handle, {add_fill(graph.handle, params.dptr, 1, {alloc})});
  }
  OwnGraph graph;
  CUDA_MEM_ALLOC_NODE_PARAMS params;
  CUgraphNode alloc = nullptr;
  CUgraphNode last = nullptr;
};

}  // namespace

TEST_CASE("memory that a graph allocates and frees") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const GraphStream stream;
  AllocatingGraph scene(module);
  unsigned host = 0;
  const CUDA_MEMCPY3D out =
      copy_of(CU_MEMORYTYPE_HOST, &host, 0, CU_MEMORYTYPE_DEVICE, nullptr, scene.params.dptr, 4);
  CUgraphNode copy = nullptr;
  REQUIRE(CU(cuGraphAddMemcpyNode)(&copy, scene.graph.handle, &scene.last, 1, &out,
                                   context.handle()) == CUDA_SUCCESS);
  CUgraphNode free = nullptr;
  REQUIRE(CU(cuGraphAddMemFreeNode)(&free, scene.graph.handle, &copy, 1, scene.params.dptr) ==
          CUDA_SUCCESS);
  CHECK(type_of(scene.alloc) == CU_GRAPH_NODE_TYPE_MEM_ALLOC);
  CHECK(type_of(free) == CU_GRAPH_NODE_TYPE_MEM_FREE);
  CUDA_MEM_ALLOC_NODE_PARAMS told{};
  REQUIRE(CU(cuGraphMemAllocNodeGetParams)(scene.alloc, &told) == CUDA_SUCCESS);
  CHECK(told.dptr == scene.params.dptr);
  CHECK(told.bytesize == 4096);
  CUdeviceptr freed = 0;
  REQUIRE(CU(cuGraphMemFreeNodeGetParams)(free, &freed) == CUDA_SUCCESS);
  CHECK(freed == scene.params.dptr);
  const OwnExec exec(scene.graph.handle);
  for (int i = 0; i < 3; ++i) {
    host = 0;
    exec.run(stream);
    CHECK(host == step(1));
    // It stays the graph's.
    CHECK(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT) >= 4096);
  }
  CHECK(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) >= 4096);
  // What such graphs do not allow.
  CUgraphNode twice = nullptr;
  CHECK(CU(cuGraphAddMemFreeNode)(&twice, scene.graph.handle, &free, 1, scene.params.dptr) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphAddMemFreeNode)(&twice, scene.graph.handle, &free, 1, 0x1234) ==
        CUDA_ERROR_INVALID_VALUE);
  CUgraph clone = nullptr;
  CHECK(CU(cuGraphClone)(&clone, scene.graph.handle) != CUDA_SUCCESS);
  CUgraphExec second = nullptr;
  CHECK(CU(cuGraphInstantiateWithFlags)(&second, scene.graph.handle, 0) != CUDA_SUCCESS);
  CHECK(CU(cuGraphDestroyNode)(copy) != CUDA_SUCCESS);
  const OwnGraph parent;
  CUgraphNode child = nullptr;
  CHECK(CU(cuGraphAddChildGraphNode)(&child, parent.handle, nullptr, 0, scene.graph.handle) !=
        CUDA_SUCCESS);
}

TEST_CASE("memory that outlives its graph's launch") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const GraphStream stream;
  AllocatingGraph scene(module);
  const CUdeviceptr address = scene.params.dptr;
  // What earlier cases hold still: NVIDIA's driver counts for the whole device.
  const auto before = graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT);

  SUBCASE("is freed by the program") {
    const OwnExec exec(scene.graph.handle);
    for (int i = 0; i < 2; ++i) {
      exec.run(stream);
      CHECK(read_word(address) == step(1));
      // NVIDIA's driver counts pieces of 32 MiB, of which one in use may have room for it.
      CHECK(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT) >= std::max<cuuint64_t>(before, 4096));
      // Not again before it is freed.
      CHECK(CU(cuGraphLaunch)(exec.handle, stream.handle) == CUDA_ERROR_INVALID_VALUE);
      if (i == 0) {
        CHECK(CU(cuMemFreeAsync)(address, stream.handle) == CUDA_SUCCESS);
      } else {
        CHECK(CU(cuMemFree_v2)(address) == CUDA_SUCCESS);
      }
      stream.wait();
    }
  }
  SUBCASE("is freed before the next launch, if that is wanted") {
    const OwnExec exec(scene.graph.handle, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
    exec.run(stream);
    exec.run(stream);
    CHECK(read_word(address) == step(1));
    CHECK(CU(cuMemFreeAsync)(address, stream.handle) == CUDA_SUCCESS);
    stream.wait();
  }
  SUBCASE("is freed by another graph") {
    const OwnExec exec(scene.graph.handle);
    const OwnGraph other;
    CUgraphNode free = nullptr;
    REQUIRE(CU(cuGraphAddMemFreeNode)(&free, other.handle, nullptr, 0, address) == CUDA_SUCCESS);
    const OwnExec freeing(other.handle);
    for (int i = 0; i < 2; ++i) {
      exec.run(stream);
      freeing.run(stream);
    }
  }
  CHECK(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT) == before);
}

TEST_CASE("memory stays when its graph and executable are gone") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const GraphStream stream;
  CUdeviceptr address = 0;
  {
    AllocatingGraph scene(module);
    address = scene.params.dptr;
    OwnExec(scene.graph.handle).run(stream);
  }
  CHECK(read_word(address) == step(1));
  CHECK(CU(cuMemFreeAsync)(address, stream.handle) == CUDA_SUCCESS);
  stream.wait();
}

TEST_CASE("stream-ordered allocations become nodes") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const GraphStream stream;
  const DeviceBlock block(16);
  stream.begin();
  CUdeviceptr address = 0;
  REQUIRE(CU(cuMemAllocAsync)(&address, 256, stream.handle) == CUDA_SUCCESS);
  REQUIRE(address != 0);
  REQUIRE(CU(cuMemsetD32Async)(address, 9, 64, stream.handle) == CUDA_SUCCESS);
  StepKernel(module, address).launch(stream);
  REQUIRE(CU(cuMemcpyDtoDAsync_v2)(block.address(), address, 4, stream.handle) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemFreeAsync)(address, stream.handle) == CUDA_SUCCESS);
  CUgraph made = nullptr;
  REQUIRE(stream.end(&made) == CUDA_SUCCESS);
  const OwnGraph graph(made);
  CHECK(graph.nodes().size() == 5);
  const OwnExec exec(graph.handle);
  exec.run(stream);
  exec.run(stream);
  CHECK(read_word(block.address()) == step(9));
}

TEST_CASE("memory that outlived its graphs counts until it is trimmed") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const GraphStream stream;
  REQUIRE(CU(cuDeviceGraphMemTrim)(0) == CUDA_SUCCESS);
  CUdeviceptr address = 0;
  for (int i = 0; i < 3; ++i) {
    {
      AllocatingGraph scene(module, 24U << 20U);
      address = scene.params.dptr;
      OwnExec(scene.graph.handle).run(stream);
    }
    CHECK(CU(cuMemFreeAsync)(address, stream.handle) == CUDA_SUCCESS);
    stream.wait();
    CHECK(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT) > 0);
    CHECK(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) > 0);
  }
  // What is reserved was used three times.
  CHECK(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) <= 32U << 20U);
  REQUIRE(CU(cuDeviceGraphMemTrim)(0) == CUDA_SUCCESS);
  CHECK(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT) == 0);
  CHECK(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) == 0);
}

TEST_CASE("the account of graph memory") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const GraphStream stream;
  {
    AllocatingGraph scene(module, 1 << 20);
    const OwnExec exec(scene.graph.handle);
    exec.run(stream);
    CHECK(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) >= (1 << 20));
    CHECK(CU(cuMemFreeAsync)(scene.params.dptr, stream.handle) == CUDA_SUCCESS);
    stream.wait();
    REQUIRE(CU(cuDeviceGraphMemTrim)(0) == CUDA_SUCCESS);
    CHECK(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) == 0);
    exec.run(stream);
    CHECK(read_word(scene.params.dptr) == step(1));
    CHECK(CU(cuMemFreeAsync)(scene.params.dptr, stream.handle) == CUDA_SUCCESS);
    stream.wait();
  }
  cuuint64_t zero = 0;
  REQUIRE(CU(cuDeviceSetGraphMemAttribute)(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero) ==
          CUDA_SUCCESS);
  CHECK(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) ==
        graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT));
  CHECK(CU(cuDeviceSetGraphMemAttribute)(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &zero) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuDeviceGetGraphMemAttribute)(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, nullptr) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuDeviceGraphMemTrim)(99) == CUDA_ERROR_INVALID_DEVICE);
  CUDA_MEM_ALLOC_NODE_PARAMS params = bytes_of_device(0);
  CUgraphNode node = nullptr;
  const OwnGraph graph;
  CHECK(CU(cuGraphAddMemAllocNode)(&node, graph.handle, nullptr, 0, &params) ==
        CUDA_ERROR_INVALID_VALUE);
}
