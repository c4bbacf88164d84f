// SPDX-License-Identifier: MIT
// Graphs: captured, made by hand, changed and launched again.
#include "check.h"

__global__ void add(int* value, int amount) { *value += amount; }

__global__ void twice(int* value) { *value *= 2; }

int main() {
  int* value;
  CALL(cudaMalloc(&value, sizeof(int)));
  int host = 0;
  cudaStream_t stream;
  CALL(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CALL(cudaMemsetAsync(value, 0, sizeof(int), stream));
  add<<<1, 1, 0, stream>>>(value, 5);
  twice<<<1, 1, 0, stream>>>(value);
  CALL(cudaMemcpyAsync(&host, value, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CALL(cudaStreamEndCapture(stream, &graph));
  size_t nodes = 0;
  CALL(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 4);
  CALL(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; ++i) {
    host = 0;
    CALL(cudaGraphLaunch(exec, stream));
    CALL(cudaStreamSynchronize(stream));
    CHECK(host == 10);
  }
  CALL(cudaGraphExecDestroy(exec));
  CALL(cudaGraphDestroy(graph));

  CALL(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t set, first, second, copy;
  cudaMemsetParams memset{};
  memset.dst = value;
  memset.elementSize = 4;
  memset.width = 1;
  memset.height = 1;
  CALL(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &memset));
  int amount = 3;
  void* arguments[] = {&value, &amount};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  CALL(cudaGraphAddKernelNode(&first, graph, &set, 1, &kernel));
  kernel.func = reinterpret_cast<void*>(twice);
  CALL(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel));
  CALL(cudaGraphAddMemcpyNode1D(&copy, graph, &second, 1, &host, value, sizeof(int),
                                cudaMemcpyDeviceToHost));
  cudaKernelNodeParams same{};
  CALL(cudaGraphKernelNodeGetParams(second, &same));
  CHECK(same.func == kernel.func && same.blockDim.x == 1);
  cudaGraphNodeType type;
  CALL(cudaGraphNodeGetType(copy, &type));
  CHECK(type == cudaGraphNodeTypeMemcpy);
  cudaMemcpy3DParms line{};
  CALL(cudaGraphMemcpyNodeGetParams(copy, &line));
  CHECK(line.dstPtr.ptr == &host && line.extent.width == sizeof(int));
  CALL(cudaGraphInstantiate(&exec, graph, 0));
  CALL(cudaGraphLaunch(exec, stream));
  CALL(cudaStreamSynchronize(stream));
  CHECK(host == 6);
  amount = 50;
  kernel.func = reinterpret_cast<void*>(add);
  CALL(cudaGraphExecKernelNodeSetParams(exec, first, &kernel));
  CALL(cudaGraphLaunch(exec, stream));
  CALL(cudaStreamSynchronize(stream));
  CHECK(host == 100);
  std::puts("PASSED");
}
