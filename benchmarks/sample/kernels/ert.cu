// SPDX-License-Identifier: MIT
// HeCBench, ert: 1023 dependent multiplications and additions for each number
/*
n: 524_288 | 1501
blocks: 128 | 2
trials: 1 | 2
launch: blocks x 256
a: float[n] = uniform(-0.9, -0.1) -> 1e-5
trials: uint
n: uint
*/
__global__ void block_stride(float* a, unsigned trials, unsigned n) {
  unsigned threads = gridDim.x * blockDim.x, each = (n + threads - 1) / threads;
  unsigned start = blockIdx.x * blockDim.x + threadIdx.x, end = start + each * threads;
  if (start > n) start = n;
  if (end > n) end = n;
  const float alpha = 1.0f;
  for (unsigned trial = 0; trial < trials; ++trial) {
    for (unsigned i = start; i < end; i += threads) {
      float beta = a[i] + alpha;
#pragma unroll
      for (int k = 0; k < 1023; ++k) beta = beta * a[i] + alpha;
      a[i] = -beta;
    }
  }
}
//---- C++
void reference(float* a, unsigned trials, unsigned n) {
  const float alpha = 1.0f;
#pragma omp parallel
  for (unsigned trial = 0; trial < trials; ++trial) {
#pragma omp for simd
    for (unsigned i = 0; i < n; ++i) {
      float own = a[i], beta = own + alpha;
      for (int k = 0; k < 1023; ++k) beta = beta * own + alpha;
      a[i] = -beta;
    }
  }
}
