// SPDX-License-Identifier: MIT
// PolyBench, adi: the elimination of an alternating direction method along rows, a row a thread
/*
n: 1024 | 77
launch: ceil(n, 256) x 256
once: eliminates again what is eliminated
n: int
a: float[n * n] = uniform(0, 1)
b: float[n * n] = uniform(3, 4) -> 1e-5
x: float[n * n] = uniform(-1, 1) -> 1e-5
*/
__global__ void eliminate_rows(int n, float* a, float* b, float* x) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    for (int i = 1; i < n; ++i) {
      x[row * n + i] = x[row * n + i] - x[row * n + i - 1] * a[row * n + i] / b[row * n + i - 1];
      b[row * n + i] = b[row * n + i] - a[row * n + i] * a[row * n + i] / b[row * n + i - 1];
    }
  }
}
//---- C++
void reference(int n, const float* a, float* b, float* x) {
#pragma omp parallel for
  for (int row = 0; row < n; ++row) {
    for (int i = row * n + 1; i < (row + 1) * n; ++i) {
      x[i] -= x[i - 1] * a[i] / b[i - 1];
      b[i] -= a[i] * a[i] / b[i - 1];
    }
  }
}
