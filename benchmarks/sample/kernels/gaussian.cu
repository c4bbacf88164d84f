// SPDX-License-Identifier: MIT
// Rodinia, gaussian: takes a multiple of a row from all rows below, where neighbouring threads have neighbouring rows
/*
n: 1024 | 37
t: 10 | 5
launch: ceil(n, 4), ceil(n, 4) x 4, 4
multipliers: float[n * n] = uniform(-1, 1)
a: float[n * n] = uniform(-1, 1) -> 1e-6
b: float[n] = uniform(-1, 1) -> 1e-6
n: int
t: int
*/
__global__ void eliminate(const float* multipliers, float* a, float* b, int n, int t) {
  if (threadIdx.x + blockIdx.x * blockDim.x >= n - 1 - t) return;
  if (threadIdx.y + blockIdx.y * blockDim.y >= n - t) return;
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  a[n * (x + 1 + t) + y + t] -= multipliers[n * (x + 1 + t) + t] * a[n * t + y + t];
  if (y == 0) b[x + 1 + t] -= multipliers[n * (x + 1 + t) + y + t] * b[t];
}
//---- C++
void reference(const float* multipliers, float* a, float* b, int n, int t) {
#pragma omp parallel for
  for (int row = t + 1; row < n; ++row) {
    float multiplier = multipliers[n * row + t];
    for (int column = t; column < n; ++column) a[n * row + column] -= multiplier * a[n * t + column];
    b[row] -= multiplier * b[t];
  }
}
