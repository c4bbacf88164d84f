// SPDX-License-Identifier: MIT
// HeCBench, openmp: adds the remainders of a counter to each number in memory
/*
n: 524_288 | 1024
launch: n // 256 x 256
a: int[n] = arange(n) -> 0
divisor: int = 3
repeat: int = 100
n: int
*/
__global__ void add_remainders(int* a, int divisor, int repeat, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int turn = 0; turn < repeat; ++turn) a[i] += turn % divisor;
}
//---- C++
void reference(int* a, int divisor, int repeat, int n) {
#pragma omp parallel for
  for (int start = 0; start < n; start += 4096) {
    const int end = std::min(start + 4096, n);
    for (int turn = 0; turn < repeat; ++turn) {
      const int remainder = turn % divisor;
      for (int i = start; i < end; ++i) a[i] += remainder;
    }
  }
}
