// SPDX-License-Identifier: MIT
// HeCBench, miniFE: a dot product's sums of 256 blocks, the last steps in shared memory
/*
n: 4_000_000 | 10_007
blocks: 256 | 5
launch: blocks x 256
n: int
x: double[n] = uniform(-1, 1)
y: double[n] = uniform(0, 2)
sums: double[blocks] -> 1e-12
blocks: int
*/
__global__ void dot_kernel(int n, const double* x, const double* y, double* sums, int blocks) {
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i] * y[i];
  __shared__ double shared[256];
  shared[threadIdx.x] = sum;
#pragma unroll
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      sum += shared[threadIdx.x + half];
      shared[threadIdx.x] = sum;
    }
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
//---- C++
void reference(int n, const double* x, const double* y, double* sums, int blocks) {
#pragma omp parallel for
  for (int block = 0; block < blocks; ++block) {
    double sum = 0;
    for (int start = block * 256; start < n; start += blocks * 256) {
      const int end = std::min(start + 256, n);
#pragma omp simd reduction(+ : sum)
      for (int i = start; i < end; ++i) sum += x[i] * y[i];
    }
    sums[block] = sum;
  }
}
