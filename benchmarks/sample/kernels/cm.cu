// SPDX-License-Identifier: MIT
// HeCBench, cm: how many values exceed a threshold, a count a block
/*
n: 8_388_608 | 10_007
blocks: 64 | 3
launch: blocks x 256
shared: 1024
values: float[n] = uniform(0, 1)
counts: int[blocks] -> 0
threshold: float = 0.75
n: int
blocks: int
*/
__global__ void count_above(const float* values, int* counts, float threshold, int n, int blocks) {
  extern __shared__ int found[];
  int count = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * blocks)
    if (values[i] > threshold) ++count;
  found[threadIdx.x] = count;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) found[threadIdx.x] += found[threadIdx.x + half];
  }
  if (threadIdx.x == 0) counts[blockIdx.x] = found[0];
}
//---- C++
void reference(const float* values, int* counts, float threshold, int n, int blocks) {
#pragma omp parallel for
  for (int block = 0; block < blocks; ++block) {
    int count = 0;
    for (int start = block * 256; start < n; start += blocks * 256)
      for (int i = start; i < std::min(start + 256, n); ++i) count += values[i] > threshold;
    counts[block] = count;
  }
}
