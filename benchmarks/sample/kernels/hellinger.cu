// SPDX-License-Identifier: MIT
// HeCBench, hellinger: Hellinger distances of rows and columns, an element a thread
/*
m: 256 | 40
n: 256 | 30
k: 256 | 50
launch: ceil(k, 16), ceil(m, 16) x 16, 16
a: float[m * n] = uniform(0, 2 / n)
b: float[n * k] = uniform(0, 2 / n)
c: float[m * k] -> 1e-3
m: int
n: int
k: int
*/
__global__ void hellinger(const float* a, const float* b, float* c, int m, int n, int k) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= k || row >= m) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += sqrtf(a[row * n + i] * b[i * k + column]);
  float value = 1 - sum;
  c[row * k + column] = sqrtf(signbit(value) ? 0.0f : value);
}
//---- C++
void reference(const float* a, const float* b, float* c, int m, int n, int k) {
#pragma omp parallel for
  for (int row = 0; row < m; ++row) {
    std::vector<float> sums(k);
    for (int i = 0; i < n; ++i)
      for (int column = 0; column < k; ++column) sums[column] += std::sqrt(a[row * n + i] * b[i * k + column]);
    for (int column = 0; column < k; ++column) {
      float value = 1 - sums[column];
      c[row * k + column] = std::sqrt(std::signbit(value) ? 0.0f : value);
    }
  }
}
