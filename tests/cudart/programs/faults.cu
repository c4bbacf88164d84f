// SPDX-License-Identifier: MIT
// log: the place of the fault
// Errors that stay and errors that do not.
#include <cstring>

#include "check.h"

__global__ void write(int* where) { *where = 1; }

int main() {
  int* value;
  CHECK(cudaMalloc(&value, size_t{1} << 60) == cudaErrorMemoryAllocation);
  CHECK(cudaPeekAtLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaSuccess);
  CALL(cudaMalloc(&value, sizeof(int)));
  write<<<1, 1>>>(value);
  CALL(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(value, value, 4, static_cast<cudaMemcpyKind>(9)) ==
        cudaErrorInvalidMemcpyDirection);
  CHECK(std::strcmp(cudaGetErrorName(cudaErrorInvalidMemcpyDirection),
                    "cudaErrorInvalidMemcpyDirection") == 0);
  CHECK(std::strcmp(cudaGetErrorString(cudaGetLastError()),
                    "invalid copy direction for memcpy") == 0);
  CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice);
  (void)cudaGetLastError();

  write<<<1, 1>>>(reinterpret_cast<int*>(16));
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaMalloc(&value, 4) == cudaErrorIllegalAddress);
  CALL(cudaDeviceReset());
  CHECK(cudaGetLastError() == cudaSuccess);
  CALL(cudaMalloc(&value, sizeof(int)));
  write<<<1, 1>>>(value);
  int host = 0;
  CALL(cudaMemcpy(&host, value, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host == 1);
  std::puts("PASSED");
}
