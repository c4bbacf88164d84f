// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <thread>

#include "cudart/program.h"

TEST_CASE("properties agree with attributes") {
  int count = 0;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
  REQUIRE(count >= 1);
  cudaDeviceProp properties;
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  CHECK(std::strlen(properties.name) > 0);
  CHECK(properties.totalGlobalMem > 0);
  int value = 0;
  REQUIRE(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess);
  CHECK(value == properties.multiProcessorCount);
  REQUIRE(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0) == cudaSuccess);
  CHECK(value == properties.maxThreadsPerBlock);
  CHECK(properties.warpSize == 32);
  int chosen = -1;
  CHECK(cudaChooseDevice(&chosen, &properties) == cudaSuccess);
  CHECK(chosen == 0);
  CHECK(cudaGetDeviceProperties(nullptr, 0) == cudaErrorInvalidValue);
  CHECK(cudaGetDeviceProperties(&properties, count) == cudaErrorInvalidDevice);
  CHECK(cudaSetDevice(-1) == cudaErrorInvalidDevice);
  (void)cudaGetLastError();
}

TEST_CASE("each thread has its device and its last error") {
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  CHECK(cudaSetDevice(1000) == cudaErrorInvalidDevice);
  cudaError_t other = cudaErrorUnknown;
  int device = -1;
  std::thread([&] {
    other = cudaPeekAtLastError();
    (void)cudaGetDevice(&device);
  }).join();
  CHECK(other == cudaSuccess);
  CHECK(device == 0);
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("versions are those of the headers and the driver") {
  int version = 0;
  CHECK(cudaRuntimeGetVersion(&version) == cudaSuccess);
  CHECK(version == CUDART_VERSION);
  CHECK(cudaDriverGetVersion(&version) == cudaSuccess);
  CHECK(version >= 13000);
}

TEST_CASE("errors have the names and texts of the documentation") {
  CHECK(std::string(cudaGetErrorName(cudaSuccess)) == "cudaSuccess");
  CHECK(std::string(cudaGetErrorString(cudaSuccess)) == "no error");
  CHECK(std::string(cudaGetErrorName(cudaErrorInvalidConfiguration)) ==
        "cudaErrorInvalidConfiguration");
  CHECK(std::string(cudaGetErrorString(cudaErrorMemoryAllocation)) == "out of memory");
  CHECK(std::string(cudaGetErrorString(static_cast<cudaError_t>(12345))) ==
        "unrecognized error code");
}

TEST_CASE("the driver's entry points are found by name and version") {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  CHECK(cudaGetDriverEntryPointByVersion("cuMemAlloc", &function, 13000, cudaEnableDefault,
                                         &found) == cudaSuccess);
  CHECK(found == cudaDriverEntryPointSuccess);
  CHECK(function != nullptr);
  CHECK(cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &function, 13000, cudaEnableDefault,
                                         &found) == cudaSuccess);
  CHECK(found == cudaDriverEntryPointSymbolNotFound);
  CHECK(function == nullptr);
}

TEST_CASE("what is not supported says so") {
  const void* table = nullptr;
  const cudaUUID_t id{};
  CHECK(cudaGetExportTable(&table, &id) == cudaErrorNotSupported);
  CHECK(cudaGetLastError() == cudaErrorNotSupported);
}

TEST_CASE("a lost context fails every call until the device is reset") {
  CHECK(program::launch(program::store, dim3(1), dim3(1), 0, nullptr, reinterpret_cast<int*>(16)) ==
        cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, 4) == cudaErrorIllegalAddress);
  REQUIRE(cudaDeviceReset() == cudaSuccess);
  CHECK(cudaGetLastError() == cudaSuccess);
  REQUIRE(cudaMalloc(&memory, 4) == cudaSuccess);
  REQUIRE(program::launch(program::store, dim3(1), dim3(1), 0, nullptr,
                          static_cast<int*>(memory)) == cudaSuccess);
  int value = 0;
  CHECK(cudaMemcpy(&value, memory, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(value == 1);
}
