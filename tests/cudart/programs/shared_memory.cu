// SPDX-License-Identifier: MIT
// Dynamic shared memory, its limit, occupancy and kernels' attributes.
#include "check.h"

__global__ void reverse(int* values) {
  extern __shared__ int block[];
  block[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = block[blockDim.x - 1 - threadIdx.x];
}

__global__ void __launch_bounds__(128) small(int* values) { values[threadIdx.x] = 1; }

int main() {
  int* values;
  CALL(cudaMallocManaged(&values, 256 * sizeof(int)));
  for (int i = 0; i < 256; ++i) values[i] = i;
  reverse<<<1, 256, 256 * sizeof(int)>>>(values);
  CALL(cudaDeviceSynchronize());
  for (int i = 0; i < 256; ++i) CHECK(values[i] == 255 - i);

  const int large = 64 * 1024;
  reverse<<<1, 256, large>>>(values);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CALL(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, large));
  reverse<<<1, 256, large>>>(values);
  CALL(cudaGetLastError());
  CALL(cudaDeviceSynchronize());
  for (int i = 0; i < 256; ++i) CHECK(values[i] == i);

  cudaFuncAttributes attributes;
  CALL(cudaFuncGetAttributes(&attributes, reverse));
  CHECK(attributes.maxDynamicSharedSizeBytes == large);
  CHECK(attributes.ptxVersion > 0);
  CALL(cudaFuncGetAttributes(&attributes, small));
  CHECK(attributes.maxThreadsPerBlock == 128);
  int blocks = 0, grid = 0, block = 0;
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 256, 0));
  CHECK(blocks > 0);
  CALL(cudaOccupancyMaxPotentialBlockSize(&grid, &block, small));
  CHECK(grid > 0 && block > 0 && block <= 128);

  reverse<<<1, 2048>>>(values);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  CHECK(cudaGetLastError() == cudaSuccess);
  reverse<<<0, 32>>>(values);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  CALL(cudaFree(values));
  std::puts("PASSED");
}
