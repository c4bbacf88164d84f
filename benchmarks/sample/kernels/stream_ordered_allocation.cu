// SPDX-License-Identifier: MIT
// HeCBench, streamOrderedAllocation: sums of two vectors
/*
n: 4_000_000 | 1000
launch: ceil(n, 256) x 256
a: float[n] = uniform(-1, 1)
b: float[n] = uniform(-1, 1)
c: float[n] -> 0
n: int
*/
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
//---- C++
void reference(const float* a, const float* b, float* c, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
}
