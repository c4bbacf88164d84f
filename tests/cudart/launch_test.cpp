// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "cudart/program.h"

using program::launch;

TEST_CASE("a registered kernel runs on copied memory") {
  std::vector<int> host(1000);
  std::iota(host.begin(), host.end(), 0);
  int* values = nullptr;
  const size_t bytes = host.size() * sizeof(int);
  REQUIRE(cudaMalloc(reinterpret_cast<void**>(&values), bytes) == cudaSuccess);
  REQUIRE(cudaMemcpy(values, host.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess);
  REQUIRE(launch(program::add, dim3(4), dim3(256), 0, nullptr, values, 7, 1000) == cudaSuccess);
  REQUIRE(cudaMemcpy(host.data(), values, bytes, cudaMemcpyDefault) == cudaSuccess);
  for (int i = 0; i < 1000; ++i) REQUIRE(host[static_cast<size_t>(i)] == i + 7);
  CHECK(cudaFree(values) == cudaSuccess);
}

TEST_CASE("a function that was never registered is an invalid device function") {
  const auto nothing = [] {};
  CHECK(cudaLaunchKernel(&nothing, dim3(1), dim3(1), nullptr, 0, nullptr) ==
        cudaErrorInvalidDeviceFunction);
  CHECK(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
}

TEST_CASE("a launch of a shape that no device has is an invalid configuration") {
  int* values = nullptr;
  CHECK(launch(program::add, dim3(1), dim3(4096), 0, nullptr, values, 1, 0) ==
        cudaErrorInvalidConfiguration);
  CHECK(launch(program::add, dim3(0), dim3(32), 0, nullptr, values, 1, 0) ==
        cudaErrorInvalidConfiguration);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
}

TEST_CASE("symbols are copied to and from within their bounds") {
  const float factors[4] = {1, 2, 3, 4};
  float back[2] = {};
  REQUIRE(cudaMemcpyToSymbol(program::factors, factors, 16, 0, cudaMemcpyHostToDevice) ==
          cudaSuccess);
  REQUIRE(cudaMemcpyFromSymbol(back, program::factors, 8, 8, cudaMemcpyDeviceToHost) ==
          cudaSuccess);
  CHECK(back[0] == 3);
  CHECK(back[1] == 4);
  CHECK(cudaMemcpyToSymbol(program::factors, factors, 16, 1, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemcpyToSymbol(program::factors, factors, 4, SIZE_MAX, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemcpyToSymbol(program::factors, factors, 4, 0, cudaMemcpyDeviceToHost) ==
        cudaErrorInvalidMemcpyDirection);
  CHECK(cudaMemcpyToSymbol(factors, factors, 4, 0, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidSymbol);
  size_t bytes = 0;
  CHECK(cudaGetSymbolSize(&bytes, program::factors) == cudaSuccess);
  CHECK(bytes == 16);
  (void)cudaGetLastError();
}

TEST_CASE("a managed variable is a symbol by its address, as nvcc's host code names it") {
  program::initialise_managed();
  void* address = nullptr;
  size_t bytes = 0;
  CHECK(cudaGetSymbolAddress(&address, program::both) == cudaSuccess);
  CHECK(address == program::both);
  CHECK(cudaGetSymbolSize(&bytes, program::both) == cudaSuccess);
  CHECK(bytes == 4);
  const int before = *program::both;
  const int value = 1234;
  CHECK(cudaMemcpyToSymbol(program::both, &value, 4, 0, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(*program::both == value);
  *program::both = before;
}

TEST_CASE("kernels and functions of the program are launched by their handles too") {
  const auto host = reinterpret_cast<const void*>(&program::add);
  cudaKernel_t kernel = nullptr;
  cudaFunction_t function = nullptr;
  REQUIRE(cudaGetKernel(&kernel, host) == cudaSuccess);
  REQUIRE(cudaGetFuncBySymbol(&function, host) == cudaSuccess);
  int* value = nullptr;
  REQUIRE(cudaMallocManaged(reinterpret_cast<void**>(&value), 4, cudaMemAttachGlobal) ==
          cudaSuccess);
  *value = 0;
  int amount = 5;
  int count = 1;
  void* arguments[] = {&value, &amount, &count};
  for (const void* handle :
       {host, static_cast<const void*>(kernel), static_cast<const void*>(function)}) {
    CHECK(cudaLaunchKernel(handle, dim3(1), dim3(1), arguments, 0, nullptr) == cudaSuccess);
    cudaFuncAttributes attributes{};
    CHECK(cudaFuncGetAttributes(&attributes, handle) == cudaSuccess);
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t node = nullptr;
    cudaKernelNodeParams params{};
    params.func = const_cast<void*>(handle);
    params.gridDim = dim3(1);
    params.blockDim = dim3(1);
    params.kernelParams = arguments;
    REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
    CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params) == cudaSuccess);
    CHECK(cudaGraphKernelNodeGetParams(node, &params) == cudaSuccess);
    CHECK(cudaGraphKernelNodeSetParams(node, &params) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  }
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(*value == 15);
  CHECK(cudaFree(value) == cudaSuccess);
}

TEST_CASE("host code and kernels see the same managed variable") {
  program::initialise_managed();
  REQUIRE(program::both != nullptr);
  const int before = *program::both;
  int* value = nullptr;
  REQUIRE(cudaMallocManaged(reinterpret_cast<void**>(&value), 4, cudaMemAttachGlobal) ==
          cudaSuccess);
  *value = 1;
  REQUIRE(launch(program::add, dim3(1), dim3(1), 0, nullptr, value, 1, 1) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(*value == 2);
  CHECK(*program::both == before + 2);
  CHECK(cudaFree(value) == cudaSuccess);
}

TEST_CASE("attributes and occupancy are those of the kernel") {
  cudaFuncAttributes attributes{};
  REQUIRE(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&program::add)) ==
          cudaSuccess);
  CHECK(attributes.ptxVersion == 70);
  CHECK(attributes.maxThreadsPerBlock >= 1024);
  const char* name = nullptr;
  CHECK(cudaFuncGetName(&name, reinterpret_cast<const void*>(&program::add)) == cudaSuccess);
  CHECK(std::string(name) == "add");
  size_t count = 0;
  CHECK(cudaFuncGetParamCount(reinterpret_cast<const void*>(&program::add), &count) == cudaSuccess);
  CHECK(count == 3);
  int blocks = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, reinterpret_cast<const void*>(&program::add), 256, 0) == cudaSuccess);
  CHECK(blocks > 0);
}

TEST_CASE("a kernel of a library is launched by its handle") {
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  REQUIRE(cudaLibraryLoadData(&library, program::library_text, nullptr, nullptr, 0, nullptr,
                              nullptr, 0) == cudaSuccess);
  REQUIRE(cudaLibraryGetKernel(&kernel, library, "triple") == cudaSuccess);
  void* base = nullptr;
  size_t bytes = 0;
  REQUIRE(cudaLibraryGetGlobal(&base, &bytes, library, "base") == cudaSuccess);
  CHECK(bytes == 4);
  void* arguments[] = {&base};
  REQUIRE(cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, nullptr) == cudaSuccess);
  int value = 0;
  REQUIRE(cudaMemcpy(&value, base, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(value == 120);
  CHECK(cudaLibraryGetKernel(&kernel, library, "none") == cudaErrorSymbolNotFound);
  CHECK(cudaLibraryUnload(library) == cudaSuccess);
  (void)cudaGetLastError();
}
