// SPDX-License-Identifier: MIT
// HeCBench, scan: exclusive sums of segments of 1024 by a tree in shared memory without bank conflicts
/*
segments: 4096 | 7
blocks: 512 | 3
launch: blocks x 512
segments: long
sums: int[1024 * segments] -> 0
values: int[1024 * segments] = integers(-9, 10)
*/
__global__ void scan_segments(const long segments, int* __restrict__ sums, const int* __restrict__ values) {
  __shared__ int tree[2048];
  for (long segment = blockIdx.x; segment < segments; segment += gridDim.x) {
    const int* in = values + segment * 1024;
    int* out = sums + segment * 1024;
    int thread = threadIdx.x, a = thread, b = thread + 512;
    tree[a + (a >> 5)] = in[a];
    tree[b + (b >> 5)] = in[b];
    int step = 1;
    for (int pairs = 512; pairs > 0; pairs /= 2) {
      __syncthreads();
      if (thread < pairs) {
        int left = step * (2 * thread + 1) - 1, right = step * (2 * thread + 2) - 1;
        tree[right + (right >> 5)] += tree[left + (left >> 5)];
      }
      step *= 2;
    }
    if (thread == 0) tree[1023 + (1023 >> 5)] = 0;
    for (int pairs = 1; pairs < 1024; pairs *= 2) {
      step /= 2;
      __syncthreads();
      if (thread < pairs) {
        int left = step * (2 * thread + 1) - 1, right = step * (2 * thread + 2) - 1;
        left += left >> 5;
        right += right >> 5;
        int held = tree[left];
        tree[left] = tree[right];
        tree[right] += held;
      }
    }
    __syncthreads();
    out[a] = tree[a + (a >> 5)];
    out[b] = tree[b + (b >> 5)];
  }
}
//---- C++
void reference(long segments, int* sums, const int* values) {
#pragma omp parallel for
  for (long segment = 0; segment < segments; ++segment) {
    int sum = 0;
    for (int i = 0; i < 1024; ++i) {
      sums[segment * 1024 + i] = sum;
      sum += values[segment * 1024 + i];
    }
  }
}
