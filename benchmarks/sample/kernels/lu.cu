// SPDX-License-Identifier: MIT
// PolyBench, lu: takes the products of a column and a row from the elements below and after, an element a thread
/*
n: 2048 | 71
k: 5 | 5
launch: ceil(n, 32), ceil(n, 8) x 32, 8
n: int
a: float[n * n] = uniform(-1, 1) -> 1e-6
k: int
*/
__global__ void update(int n, float* a, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > k && j > k && i < n && j < n) a[i * n + j] = a[i * n + j] - a[i * n + k] * a[k * n + j];
}
//---- C++
void reference(int n, float* a, int k) {
#pragma omp parallel for
  for (int i = k + 1; i < n; ++i) {
    float factor = a[i * n + k];
    for (int j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
  }
}
