// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdio>
#include <numeric>
#include <vector>

#include "cudart/program.h"

TEST_CASE("empty blocks are null pointers") {
  void* memory = &memory;
  CHECK(cudaMalloc(&memory, 0) == cudaSuccess);
  CHECK(memory == nullptr);
  CHECK(cudaFree(nullptr) == cudaSuccess);
  CHECK(cudaFreeHost(nullptr) == cudaSuccess);
  CHECK(cudaMalloc(nullptr, 4) == cudaErrorInvalidValue);
  CHECK(cudaMalloc(&memory, size_t{1} << 60) == cudaErrorMemoryAllocation);
  cudaPitchedPtr box{};
  CHECK(cudaMalloc3D(&box, {4, size_t{1} << 33, size_t{1} << 33}) == cudaErrorMemoryAllocation);
  (void)cudaGetLastError();
}

TEST_CASE("rows and boxes keep their pitch") {
  std::vector<int> host(6 * 5 * 4);
  std::iota(host.begin(), host.end(), 0);
  cudaPitchedPtr box;
  const cudaExtent extent{6 * sizeof(int), 5, 4};
  REQUIRE(cudaMalloc3D(&box, extent) == cudaSuccess);
  CHECK(box.pitch >= extent.width);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = {host.data(), extent.width, 6, 5};
  copy.dstPtr = box;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  REQUIRE(cudaMemcpy3D(&copy) == cudaSuccess);
  std::vector<int> back(host.size());
  REQUIRE(cudaMemcpy2D(back.data(), extent.width, box.ptr, box.pitch, extent.width, 20,
                       cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(back == host);
  REQUIRE(cudaMemset3D(box, 0, {4, 5, 4}) == cudaSuccess);
  REQUIRE(cudaMemcpy2D(back.data(), extent.width, box.ptr, box.pitch, extent.width, 20,
                       cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(back[6] == 0);
  CHECK(back[7] == 7);
  CHECK(cudaMemcpy2D(back.data(), 4, box.ptr, box.pitch, 8, 2, cudaMemcpyDeviceToHost) ==
        cudaErrorInvalidPitchValue);
  CHECK(cudaMemcpy(back.data(), box.ptr, 4, static_cast<cudaMemcpyKind>(7)) ==
        cudaErrorInvalidMemcpyDirection);
  CHECK(cudaFree(box.ptr) == cudaSuccess);
  (void)cudaGetLastError();
}

TEST_CASE("arrays know their format, and old copies run on from row to row") {
  const cudaChannelFormatDesc format =
      cudaCreateChannelDesc(32, 32, 0, 0, cudaChannelFormatKindFloat);
  cudaArray_t array = nullptr;
  REQUIRE(cudaMallocArray(&array, &format, 4, 3, cudaArrayDefault) == cudaSuccess);
  cudaChannelFormatDesc same{};
  cudaExtent extent{};
  unsigned flags = 1;
  REQUIRE(cudaArrayGetInfo(&same, &extent, &flags, array) == cudaSuccess);
  CHECK(same.x == 32);
  CHECK(same.y == 32);
  CHECK(same.z == 0);
  CHECK(extent.width == 4);
  CHECK(extent.height == 3);
  std::vector<float> host(24);
  std::iota(host.begin(), host.end(), 0.0f);
  REQUIRE(cudaMemcpy2DToArray(array, 0, 0, host.data(), 32, 32, 3, cudaMemcpyHostToDevice) ==
          cudaSuccess);
  std::vector<float> back(6);
  // 24 bytes from the last 8 of the first row on.
  REQUIRE(cudaMemcpyFromArray(back.data(), array, 24, 0, 24, cudaMemcpyDeviceToHost) ==
          cudaSuccess);
  CHECK(back == std::vector<float>{6, 7, 8, 9, 10, 11});
  cudaChannelFormatDesc wrong = format;
  wrong.y = 16;
  cudaArray_t none = nullptr;
  CHECK(cudaMallocArray(&none, &wrong, 4, 3, 0) == cudaErrorInvalidChannelDescriptor);
  CHECK(cudaFreeArray(array) == cudaSuccess);
  (void)cudaGetLastError();
}

TEST_CASE("a copy of one row needs no pitch") {
  const cudaChannelFormatDesc format =
      cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaArray_t array = nullptr;
  REQUIRE(cudaMallocArray(&array, &format, 4, 1, 0) == cudaSuccess);
  const float row[4] = {1, 2, 3, 4};
  float back[4] = {};
  CHECK(cudaMemcpy2DToArray(array, 0, 0, row, 0, sizeof row, 1, cudaMemcpyHostToDevice) ==
        cudaSuccess);
  CHECK(cudaMemcpy2DFromArray(back, 0, array, 0, 0, sizeof back, 1, cudaMemcpyDeviceToHost) ==
        cudaSuccess);
  CHECK(back[3] == 4);
  CHECK(cudaMemcpy2D(back, 0, row, 0, 8, 1, cudaMemcpyHostToHost) == cudaSuccess);
  CHECK(cudaMemcpy2D(back, 0, row, 0, 8, 2, cudaMemcpyHostToHost) == cudaErrorInvalidPitchValue);
  CHECK(cudaFreeArray(array) == cudaSuccess);
  (void)cudaGetLastError();
}

TEST_CASE("a copy's direction and pitches fit its ends") {
  const cudaChannelFormatDesc format =
      cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaArray_t array = nullptr;
  REQUIRE(cudaMallocArray(&array, &format, 8, 4, 0) == cudaSuccess);
  float host[32] = {};
  CHECK(cudaMemcpy2DToArray(array, 0, 0, host, 32, 32, 4, cudaMemcpyDeviceToHost) ==
        cudaErrorInvalidMemcpyDirection);
  CHECK(cudaMemcpy2DFromArray(host, 32, array, 0, 0, 32, 4, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidMemcpyDirection);
  CHECK(cudaMemcpy2DToArray(array, 0, 0, host, 16, 32, 4, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidPitchValue);
  CHECK(cudaMemcpy2DToArray(nullptr, 0, 0, host, 32, 32, 4, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemcpyFromArray(host, nullptr, 0, 0, 4, cudaMemcpyDeviceToHost) ==
        cudaErrorInvalidValue);
  cudaMemcpy3DParms box{};
  box.srcPtr = {host, 32, 8, 4};
  box.dstArray = array;
  box.extent = {8, 4, 1};
  box.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&box) == cudaErrorInvalidMemcpyDirection);
  box.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&box) == cudaSuccess);
  CHECK(cudaMemcpy2D(host, 4, host, 8, 8, 1, cudaMemcpyHostToHost) == cudaErrorInvalidPitchValue);
  CHECK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy2D(nullptr, 0, nullptr, 0, 0, 4, cudaMemcpyHostToDevice) == cudaSuccess);
  cudaSurfaceObject_t surface = 0;
  cudaResourceDesc linear{};
  linear.resType = cudaResourceTypeLinear;
  CHECK(cudaCreateSurfaceObject(&surface, &linear) == cudaErrorInvalidValue);
  CHECK(cudaFreeArray(array) == cudaSuccess);
  (void)cudaGetLastError();
}

TEST_CASE("the CPU driver copies host memory that overlaps as memmove does") {
  if (!program::on_cpu_driver()) {
    std::puts("not tested: CUDA leaves open what NVIDIA's driver writes");
    return;
  }
  int values[4] = {1, 2, 3, 4};
  CHECK(cudaMemcpy(values + 1, values, 12, cudaMemcpyHostToHost) == cudaSuccess);
  CHECK(values[3] == 3);
}

TEST_CASE("destroying no texture and no surface is not an error") {
  CHECK(cudaDestroyTextureObject(0) == cudaSuccess);
  CHECK(cudaDestroySurfaceObject(0) == cudaSuccess);
  CHECK(cudaDestroyTextureObject(0x123) == cudaErrorInvalidValue);
  CHECK(cudaDestroySurfaceObject(0x123) == cudaErrorInvalidValue);
  (void)cudaGetLastError();
}

TEST_CASE("a pointer tells which memory it points to") {
  void* device = nullptr;
  void* host = nullptr;
  void* managed = nullptr;
  int plain = 0;
  REQUIRE(cudaMalloc(&device, 16) == cudaSuccess);
  REQUIRE(cudaMallocHost(&host, 16) == cudaSuccess);
  REQUIRE(cudaMallocManaged(&managed, 16, cudaMemAttachGlobal) == cudaSuccess);
  const auto type = [](const void* pointer) {
    cudaPointerAttributes attributes;
    REQUIRE(cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess);
    return attributes.type;
  };
  CHECK(type(device) == cudaMemoryTypeDevice);
  CHECK(type(host) == cudaMemoryTypeHost);
  CHECK(type(managed) == cudaMemoryTypeManaged);
  CHECK(type(&plain) == cudaMemoryTypeUnregistered);
  CHECK(cudaPeekAtLastError() == cudaSuccess);
  CHECK(cudaFree(device) == cudaSuccess);
  CHECK(cudaFreeHost(host) == cudaSuccess);
  CHECK(cudaFree(managed) == cudaSuccess);
}

TEST_CASE("stream-ordered memory comes from the device's pool") {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  cudaMemPool_t pool = nullptr;
  REQUIRE(cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess);
  void* first = nullptr;
  void* second = nullptr;
  REQUIRE(cudaMallocAsync(&first, 1024, stream) == cudaSuccess);
  REQUIRE(cudaMallocFromPoolAsync(&second, 1024, pool, stream) == cudaSuccess);
  REQUIRE(cudaMemsetAsync(first, 1, 1024, stream) == cudaSuccess);
  unsigned long long used = 0;
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) == cudaSuccess);
  CHECK(used >= 2048);
  CHECK(cudaFreeAsync(first, stream) == cudaSuccess);
  CHECK(cudaFreeAsync(second, stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}
