// SPDX-License-Identifier: MIT
// HeCBench, cross: cross products of rows of three floats
/*
n: 4_000_000 | 5003
launch: 1024 if n > 9999 else 7 x 256
a: float[3 * n] = uniform(-1, 1)
b: float[3 * n] = uniform(-1, 1)
c: float[3 * n] -> 1e-6
n: int
stride: int = 1
*/
__global__ void cross_rows(const float* a, const float* b, float* c, int n, int stride) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    const float *u = a + 3 * i, *v = b + 3 * i;
    float u0 = u[0], u1 = u[stride], u2 = u[2 * stride];
    float v0 = v[0], v1 = v[stride], v2 = v[2 * stride];
    float* w = c + 3 * i;
    w[0] = u1 * v2 - u2 * v1;
    w[stride] = u2 * v0 - u0 * v2;
    w[2 * stride] = u0 * v1 - u1 * v0;
  }
}
//---- C++
void reference(const float* a, const float* b, float* c, int n, int stride) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const float *u = a + 3 * i, *v = b + 3 * i;
    float u0 = u[0], u1 = u[stride], u2 = u[2 * stride];
    float v0 = v[0], v1 = v[stride], v2 = v[2 * stride];
    float* w = c + 3 * i;
    w[0] = u1 * v2 - u2 * v1;
    w[stride] = u2 * v0 - u0 * v2;
    w[2 * stride] = u0 * v1 - u1 * v0;
  }
}
