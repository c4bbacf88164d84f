// SPDX-License-Identifier: MIT
// HeCBench, shuffle: sums of groups of eight lanes by exchanges
/*
n: 8_388_608 | 768
launch: n // 256 x 256
out: int[n] -> 0
n: int
*/
__global__ void group_sums(int* out, int n) {
  int value = threadIdx.x & 7;
  for (int mask = 1; mask < 7; mask *= 2) value += __shfl_xor_sync(0xffffffff, value, mask);
  size_t i = blockDim.x * blockIdx.x + threadIdx.x;
  out[i] = value;
}
//---- C++
void reference(int* out, int n) {
#pragma omp parallel for
  for (int start = 0; start < n; start += 8) {
    int value[8];
    for (int lane = 0; lane < 8; ++lane) value[lane] = lane;
    for (int mask = 1; mask < 7; mask *= 2) {
      int sums[8];
      for (int lane = 0; lane < 8; ++lane) sums[lane] = value[lane] + value[lane ^ mask];
      for (int lane = 0; lane < 8; ++lane) value[lane] = sums[lane];
    }
    for (int lane = 0; lane < 8; ++lane) out[start + lane] = value[lane];
  }
}
