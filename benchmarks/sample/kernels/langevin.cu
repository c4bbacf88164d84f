// SPDX-License-Identifier: MIT
// HeCBench, langevin: a polynomial for the Langevin function near zero
/*
n: 8_388_608 | 5120
launch: n // 256 x 256
a: float[n] = uniform(-1.8, 1.8)
o: float[n] -> 1e-6
n: int
*/
__global__ void langevin(const float* __restrict__ a, float* __restrict__ o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i], s = x * x;
  float r = 7.70960469e-8f;
  r = fmaf(r, s, -1.65101926e-6f);
  r = fmaf(r, s, 2.03457112e-5f);
  r = fmaf(r, s, -2.10521728e-4f);
  r = fmaf(r, s, 2.11580913e-3f);
  r = fmaf(r, s, -2.22220998e-2f);
  r = fmaf(r, s, 8.33333284e-2f);
  o[i] = fmaf(r, x, 0.25f * x);
}
//---- C++
void reference(const float* a, float* o, int n) {
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) {
    float x = a[i], s = x * x;
    float r = 7.70960469e-8f;
    r = r * s - 1.65101926e-6f;
    r = r * s + 2.03457112e-5f;
    r = r * s - 2.10521728e-4f;
    r = r * s + 2.11580913e-3f;
    r = r * s - 2.22220998e-2f;
    r = r * s + 8.33333284e-2f;
    o[i] = r * x + 0.25f * x;
  }
}
