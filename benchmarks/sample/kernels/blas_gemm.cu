// SPDX-License-Identifier: MIT
// HeCBench, blas-gemm: the plain product of matrices, an element a thread
/*
m: 512 | 40
n: 512 | 50
depth: 512 | 33
launch: ceil(n, 16), ceil(m, 16) x 16, 16
a: float[m * depth] = uniform(-1, 1)
b: float[depth * n] = uniform(-1, 1)
c: float[m * n] = uniform(-1, 1) -> 1e-5
m: int
depth: int
n: int
alpha: float = 0.5
beta: float = 0.25
*/
__global__ void product(const float* a, const float* b, float* c, int m, int depth, int n, float alpha, float beta) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int k = 0; k < depth; ++k) sum += a[row * depth + k] * b[k * n + column];
  c[row * n + column] = alpha * sum + beta * c[row * n + column];
}
//---- C++
void reference(const float* a, const float* b, float* c, int m, int depth, int n, float alpha, float beta) {
#pragma omp parallel
  {
    std::vector<float> sums(n);
#pragma omp for
    for (int row = 0; row < m; ++row) {
      std::fill(sums.begin(), sums.end(), 0.0f);
      for (int k = 0; k < depth; ++k)
        for (int column = 0; column < n; ++column) sums[column] += a[row * depth + k] * b[k * n + column];
      for (int column = 0; column < n; ++column)
        c[row * n + column] = alpha * sums[column] + beta * c[row * n + column];
    }
  }
}
