// SPDX-License-Identifier: MIT
// HeCBench, concurrentKernels: sums one array in a single block of 32 threads
/*
n: 65536 | 1000
launch: 1 x 32
values: long[n] = integers(0, 1000000)
result: long[1] -> 0
n: int
*/
__global__ void block_sum(const long* values, long* result, int n) {
  __shared__ long part[32];
  long sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += values[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 16; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *result = part[0];
}
//---- C++
void reference(const long* values, long* result, int n) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += values[i];
  *result = sum;
}
