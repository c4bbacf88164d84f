// SPDX-License-Identifier: MIT
// Graphs that are made for launches by kernels.
#include "driver/graph_scene.h"

using namespace driver_test;

TEST_CASE("a graph made for launches by kernels is launched by the host too") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(16);
  StepKernel kernel(module, block.address());
  const GraphStream stream;
  const OwnGraph graph;
  REQUIRE(CU(cuMemsetD32_v2)(block.address(), 5, 4) == CUDA_SUCCESS);
  kernel.add(graph.handle, {kernel.add(graph.handle)});
  const OwnExec exec(graph.handle, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH);
  REQUIRE(CU(cuGraphUpload)(exec.handle, stream.handle) == CUDA_SUCCESS);
  exec.run(stream);
  CHECK(read_word(block.address()) == step(5, 2));
  cuuint64_t flags = 0;
  REQUIRE(CU(cuGraphExecGetFlags)(exec.handle, &flags) == CUDA_SUCCESS);
  CHECK(flags == CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH);

  CUgraphExec none = nullptr;
  CHECK(CU(cuGraphInstantiateWithFlags)(&none, graph.handle,
                                        CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH |
                                            CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) ==
        CUDA_ERROR_INVALID_VALUE);
  CUDA_HOST_NODE_PARAMS host{};
  host.fn = [](void*) {};
  CUgraphNode node = nullptr;
  REQUIRE(CU(cuGraphAddHostNode)(&node, graph.handle, nullptr, 0, &host) == CUDA_SUCCESS);
  CHECK(CU(cuGraphInstantiateWithFlags)(&none, graph.handle,
                                        CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != CUDA_SUCCESS);
}
