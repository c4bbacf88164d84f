// SPDX-License-Identifier: MIT
// HeCBench, bitonic-sort: one step of a bitonic sort in global memory
/*
n: 8_388_608 | 4096
launch: n // 256 x 256
a: int[n] = integers(0, 1000000) -> 0
length: int = 2048
run: int = 4
n: int
*/
__global__ void bitonic_step(int* a, int length, int run, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sequence = i / length, half = length / 2;
  if (i >= sequence * length + half) return;
  bool up = sequence / run % 2 == 0;
  int low = a[i], high = a[i + half];
  if ((low > high) == up && low != high) {
    a[i] = high;
    a[i + half] = low;
  }
}
//---- C++
void reference(int* a, int length, int run, int n) {
#pragma omp parallel for
  for (int sequence = 0; sequence < n / length; ++sequence) {
    bool up = sequence / run % 2 == 0;
    int* lows = a + sequence * length;
    int* highs = lows + length / 2;
    for (int i = 0; i < length / 2; ++i) {
      int low = lows[i], high = highs[i];
      if ((low > high) == up && low != high) {
        lows[i] = high;
        highs[i] = low;
      }
    }
  }
}
