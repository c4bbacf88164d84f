// SPDX-License-Identifier: MIT
// Constant, device and managed variables, by symbol.
#include "check.h"

__constant__ float factors[4];
__device__ int counter = 5;
__device__ __managed__ int shared_with_host = 7;
__managed__ double table[3] = {1.0, 2.0, 3.0};

__global__ void scale(float* values) {
  values[threadIdx.x] *= factors[threadIdx.x];
  atomicAdd(&counter, 1);
  if (threadIdx.x == 0) {
    shared_with_host += 10;
    table[1] = table[0] + table[2];
  }
}

int main() {
  CHECK(shared_with_host == 7);
  shared_with_host = 8;
  const float host[4] = {1, 2, 3, 4};
  CALL(cudaMemcpyToSymbol(factors, host, sizeof host));
  const float last = 40;
  CALL(cudaMemcpyToSymbol(factors, &last, sizeof last, 3 * sizeof(float)));
  CHECK(cudaMemcpyToSymbol(factors, host, sizeof host, 4) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyToSymbol(host, host, sizeof host) == cudaErrorInvalidSymbol);
  CHECK(cudaGetLastError() == cudaErrorInvalidSymbol);
  float* values;
  CALL(cudaMallocManaged(&values, 4 * sizeof(float)));
  for (int i = 0; i < 4; ++i) values[i] = 10;
  scale<<<1, 4>>>(values);
  CALL(cudaDeviceSynchronize());
  CHECK(values[0] == 10 && values[1] == 20 && values[2] == 30 && values[3] == 400);
  int count = 0;
  CALL(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  CHECK(count == 9);
  void* address = nullptr;
  size_t bytes = 0;
  CALL(cudaGetSymbolAddress(&address, counter));
  CALL(cudaGetSymbolSize(&bytes, factors));
  CHECK(address != nullptr && bytes == sizeof host);
  count = 100;
  CALL(cudaMemcpy(address, &count, sizeof count, cudaMemcpyHostToDevice));
  CALL(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  CHECK(count == 100);
  CHECK(shared_with_host == 18);
  CHECK(table[1] == 4.0);
  CALL(cudaFree(values));
  std::puts("PASSED");
}
