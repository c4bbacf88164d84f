// SPDX-License-Identifier: MIT
// HeCBench, triad: a vector plus a multiple of another
/*
n: 4_194_304 | 1280
launch: n // 128 x 128
a: float[n] = uniform(-1, 1)
b: float[n] = uniform(-1, 1)
c: float[n] -> 1e-6
factor: float = 1.75
n: int
*/
__global__ void triad(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, float factor,
                      int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  c[i] = a[i] + factor * b[i];
}
//---- C++
void reference(const float* a, const float* b, float* c, float factor, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) c[i] = a[i] + factor * b[i];
}
