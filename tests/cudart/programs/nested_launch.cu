// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// A kernel that launches a kernel: the program is linked with the device run-time library.
#include "check.h"

__global__ void add(int* values, int amount) { values[threadIdx.x] += amount; }

__global__ void parent(int* values) {
  if (threadIdx.x == 0) add<<<1, 32>>>(values, 5);
}

int main() {
  int* values;
  CALL(cudaMallocManaged(&values, 32 * sizeof(int)));
  for (int i = 0; i < 32; ++i) values[i] = i;
  parent<<<1, 4>>>(values);
  CALL(cudaGetLastError());
  CALL(cudaDeviceSynchronize());
  for (int i = 0; i < 32; ++i) CHECK(values[i] == i + 5);
  std::puts("PASSED");
}
