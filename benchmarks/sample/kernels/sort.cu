// SPDX-License-Identifier: MIT
// HeCBench, sort: one block adds up the counts of 16 digits over groups, digit after digit, in place
/*
groups: 256 | 101
launch: 1 x 256
counts: uint[16 * groups] = integers(0, 5000) -> 0
groups: ulong
*/
__global__ void sum_counts(unsigned* counts, const size_t groups) {
  __shared__ unsigned sums[512];
  __shared__ unsigned seed;
  int thread = threadIdx.x, threads = blockDim.x;
  if (thread == 0) seed = 0;
  __syncthreads();
  bool last = thread + 1 == groups;
  for (int digit = 0; digit < 16; ++digit) {
    unsigned count = 0;
    if (thread < groups) count = counts[groups * digit + thread];
    sums[thread] = 0;
    int at = thread + threads;
    sums[at] = count;
    __syncthreads();
    for (int step = 1; step < threads; step *= 2) {
      unsigned other = sums[at - step];
      __syncthreads();
      sums[at] += other;
      __syncthreads();
    }
    unsigned before = sums[at - 1];
    if (thread < groups) counts[groups * digit + thread] = before + seed;
    __syncthreads();
    if (last) seed += before + count;
    __syncthreads();
  }
}
//---- C++
void reference(unsigned* counts, size_t groups) {
  unsigned sum = 0;
  for (size_t i = 0; i < 16 * groups; ++i) {
    unsigned count = counts[i];
    counts[i] = sum;
    sum += count;
  }
}
