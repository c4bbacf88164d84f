// SPDX-License-Identifier: MIT
// HeCBench, lr: sums for a linear regression, of x, y, x * y and x * x, a block's in shared memory
/*
blocks: 65536 | 5
size: 63 | 63
launch: blocks x size
shared: 16 * size
points: float[2 * blocks * size] = uniform(-1, 2)
result: float[4 * blocks] -> 1e-5
blocks: int
size: int
*/
__device__ void add(float4& a, const float4& b) {
  a.x += b.x;
  a.y += b.y;
  a.z += b.z;
  a.w += b.w;
}
__global__ void regression_sums(const float2* __restrict__ points, float4* __restrict__ result, int blocks, int size) {
  extern __shared__ float4 sums[];
  size_t thread = threadIdx.x, threads = blockDim.x;
  float2 point = points[blockIdx.x * threads + thread];
  sums[thread] = make_float4(point.x, point.y, point.x * point.y, point.x * point.x);
  __syncthreads();
  for (size_t half = threads / 2, before = threads; half > 0; before = half, half /= 2) {
    if (thread < half) {
      add(sums[thread], sums[thread + half]);
      if (thread == half - 1 && before % 2 != 0) add(sums[thread], sums[before - 1]);
    }
    __syncthreads();
  }
  if (thread == 0) result[blockIdx.x] = sums[0];
}
//---- C++
void reference(const float* points, float* result, int blocks, int size) {
#pragma omp parallel for
  for (int block = 0; block < blocks; ++block) {
    const float* own = points + (size_t)block * 2 * size;
    float x = 0, y = 0, xy = 0, xx = 0;
#pragma omp simd reduction(+ : x, y, xy, xx)
    for (int i = 0; i < size; ++i) {
      x += own[2 * i];
      y += own[2 * i + 1];
      xy += own[2 * i] * own[2 * i + 1];
      xx += own[2 * i] * own[2 * i];
    }
    float* to = result + 4 * block;
    to[0] = x;
    to[1] = y;
    to[2] = xy;
    to[3] = xx;
  }
}
