// SPDX-License-Identifier: MIT
// HeCBench, atomicCost: each thread adds up its own range in global memory
/*
threads: 262_144 | 1024
each: 64 | 5
launch: ceil(threads, 256) x 256
sums: int[threads] = integers(0, 9) -> 0
each: int
threads: int
*/
__global__ void own_sums(int* sums, int each, int threads) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  for (unsigned i = thread * each; i < (thread + 1) * each; ++i) sums[thread] += i % 2;
}
//---- C++
void reference(int* sums, int each, int threads) {
#pragma omp parallel for
  for (int thread = 0; thread < threads; ++thread)
    for (int i = thread * each; i < (thread + 1) * each; ++i) sums[thread] += i % 2;
}
