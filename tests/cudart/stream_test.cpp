// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include "cudart/program.h"

using program::launch;

namespace {

int* zeroed() {
  void* value = nullptr;
  REQUIRE(cudaMalloc(&value, 4) == cudaSuccess);
  REQUIRE(cudaMemset(value, 0, 4) == cudaSuccess);
  return static_cast<int*>(value);
}

int read(const int* value) {
  int host = -1;
  REQUIRE(cudaMemcpy(&host, value, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
  return host;
}

}  // namespace

TEST_CASE("events order streams and measure time") {
  cudaStream_t first = nullptr;
  cudaStream_t second = nullptr;
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaStreamCreateWithPriority(&second, cudaStreamNonBlocking, 0) == cudaSuccess);
  REQUIRE(cudaEventCreate(&start) == cudaSuccess);
  REQUIRE(cudaEventCreate(&stop) == cudaSuccess);
  int* value = zeroed();
  REQUIRE(cudaEventRecord(start, first) == cudaSuccess);
  REQUIRE(launch(program::add, dim3(1), dim3(32), 0, first, value, 3, 1) == cudaSuccess);
  REQUIRE(cudaEventRecord(stop, first) == cudaSuccess);
  REQUIRE(cudaStreamWaitEvent(second, stop, 0) == cudaSuccess);
  REQUIRE(launch(program::add, dim3(1), dim3(32), 0, second, value, 4, 1) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(second) == cudaSuccess);
  CHECK(read(value) == 7);
  CHECK(cudaStreamQuery(second) == cudaSuccess);
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop) == cudaSuccess);
  CHECK(milliseconds >= 0);
  unsigned flags = 0;
  CHECK(cudaStreamGetFlags(first, &flags) == cudaSuccess);
  CHECK(flags == cudaStreamNonBlocking);
  CHECK(cudaStreamDestroy(first) == cudaSuccess);
  CHECK(cudaStreamDestroy(second) == cudaSuccess);
  CHECK(cudaFree(value) == cudaSuccess);
}

TEST_CASE("host functions and callbacks run in stream order") {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  int calls = 0;
  REQUIRE(cudaLaunchHostFunc(
              stream, [](void* count) { ++*static_cast<int*>(count); }, &calls) == cudaSuccess);
  REQUIRE(cudaStreamAddCallback(
              stream,
              [](cudaStream_t, cudaError_t status, void* count) {
                if (status == cudaSuccess) *static_cast<int*>(count) *= 10;
              },
              &calls, 0) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(calls == 10);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("a captured stream becomes a graph that can be launched again") {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  int* value = zeroed();
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  REQUIRE(launch(program::add, dim3(1), dim3(1), 0, stream, value, 5, 1) == cudaSuccess);
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(read(value) == 0);
  cudaGraphExec_t exec = nullptr;
  REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(exec, stream) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(exec, stream) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(read(value) == 10);
  CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("a node's kernel is the function that the program gave") {
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
  int* value = zeroed();
  int amount = 2;
  int count = 1;
  void* arguments[] = {&value, &amount, &count};
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel.func = reinterpret_cast<void*>(&program::add);
  params.kernel.gridDim = {1, 1, 1};
  params.kernel.blockDim = {1, 1, 1};
  params.kernel.kernelParams = arguments;
  cudaGraphNode_t kernel = nullptr;
  REQUIRE(cudaGraphAddNode(&kernel, graph, nullptr, nullptr, 0, &params) == cudaSuccess);
  cudaKernelNodeParams same{};
  REQUIRE(cudaGraphKernelNodeGetParams(kernel, &same) == cudaSuccess);
  CHECK(same.func == params.kernel.func);
  int host = 0;
  cudaGraphNode_t copy = nullptr;
  REQUIRE(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, &host, value, 4,
                                   cudaMemcpyDeviceToHost) == cudaSuccess);
  cudaGraphExec_t exec = nullptr;
  REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(exec, nullptr) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(host == 2);
  amount = 30;
  REQUIRE(cudaGraphExecNodeSetParams(exec, kernel, &params) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(exec, nullptr) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(host == 32);
  CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
}

TEST_CASE("with per-thread streams, stream 0 is not the legacy stream") {
  int* value = zeroed();
  void* pointers[3];
  int amount = 6;
  int count = 1;
  pointers[0] = &value;
  pointers[1] = &amount;
  pointers[2] = &count;
  REQUIRE(cudaLaunchKernel_ptsz(reinterpret_cast<const void*>(&program::add), dim3(1), dim3(1),
                                pointers, 0, nullptr) == cudaSuccess);
  int host = 0;
  REQUIRE(cudaMemcpy_ptds(&host, value, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(host == 6);
  CHECK(cudaFree(value) == cudaSuccess);
}

TEST_CASE("attributes of a kernel node are copied from the source to the destination") {
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
  int* value = nullptr;
  int amount = 0;
  int count = 0;
  void* arguments[] = {&value, &amount, &count};
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(&program::add);
  params.gridDim = dim3(1);
  params.blockDim = dim3(1);
  params.kernelParams = arguments;
  cudaGraphNode_t from = nullptr;
  cudaGraphNode_t to = nullptr;
  REQUIRE(cudaGraphAddKernelNode(&from, graph, nullptr, 0, &params) == cudaSuccess);
  REQUIRE(cudaGraphAddKernelNode(&to, graph, nullptr, 0, &params) == cudaSuccess);
  cudaLaunchAttributeValue priority{};
  priority.priority = -3;
  REQUIRE(cudaGraphKernelNodeSetAttribute(from, cudaLaunchAttributePriority, &priority) ==
          cudaSuccess);
#ifdef PROGRAM_OF_CUDA_12
  REQUIRE(cudaGraphKernelNodeCopyAttributes(from, to) == cudaSuccess);
#else
  REQUIRE(cudaGraphKernelNodeCopyAttributes(to, from) == cudaSuccess);
#endif
  priority.priority = 0;
  REQUIRE(cudaGraphKernelNodeGetAttribute(to, cudaLaunchAttributePriority, &priority) ==
          cudaSuccess);
  CHECK(priority.priority == -3);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
}
