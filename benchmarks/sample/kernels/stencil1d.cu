// SPDX-License-Identifier: MIT
// HeCBench, stencil1d: sums of 15 neighbours through shared memory
/*
n: 8_388_608 | 1024
launch: n // 256 x 256
in: int[n + 256] = integers(-99, 100)
out: int[n] -> 0
n: int
*/
__global__ void sum_neighbours(const int* __restrict__ in, int* __restrict__ out, int n) {
  __shared__ int part[256 + 14];
  int i = threadIdx.x + blockIdx.x * blockDim.x, at = threadIdx.x + 7;
  part[at] = in[i];
  if (threadIdx.x < 7) {
    part[at - 7] = i < 7 ? 0 : in[i - 7];
    part[at + 256] = in[i + 256];
  }
  __syncthreads();
  int sum = 0;
  for (int offset = -7; offset <= 7; ++offset) sum += part[at + offset];
  out[i] = sum;
}
//---- C++
void reference(const int* in, int* out, int n) {
#pragma omp parallel for
  for (int i = 7; i < n; ++i) {
    int sum = 0;
#pragma GCC unroll 15
    for (int offset = -7; offset <= 7; ++offset) sum += in[i + offset];
    out[i] = sum;
  }
  for (int i = 0; i < std::min(7, n); ++i) {
    out[i] = 0;
    for (int j = 0; j <= i + 7; ++j) out[i] += in[j];
  }
}
