// SPDX-License-Identifier: MIT
// HeCBench, word2vec: sets the weights of a layer to zero
/*
n: 8_000_000 | 1001
launch: n // 256 + 1 x 256
weights: float[n] = uniform(-1, 1) -> 0
n: int
*/
__global__ void clear(float* weights, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) weights[i] = 0;
}
//---- C++
void reference(float* weights, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) weights[i] = 0;
}
