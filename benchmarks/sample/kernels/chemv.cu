// SPDX-License-Identifier: MIT
// HeCBench, chemv: a complex Hermitian matrix times a vector, a row a thread, its lower half
/*
n: 1536 | 100
launch: ceil(n, 32) x 32
a: float[2 * n * n] = uniform(-1, 1)
x: float[2 * n] = uniform(-1, 1)
y: float[2 * n] = uniform(-1, 1) -> 1e-4
n: int
*/
struct Complex {
  float re, im;
};
__global__ void lower_half(const Complex* a, const Complex* x, Complex* y, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float re = 0.25f * y[row].re, im = 0.25f * y[row].im;
  for (int first = 0; first <= row; first += 32) {
    for (int column = first; column < first + 32 && column <= row; ++column) {
      Complex m = a[row + column * n], v = x[column];
      re += m.re * v.re - m.im * v.im;
      im += m.re * v.im + m.im * v.re;
    }
    __syncwarp(__activemask());
  }
  y[row].re = 0.01f * re;
  y[row].im = 0.01f * im;
}
//---- C++
void reference(const float* a, const float* x, float* y, int n) {
#pragma omp parallel for schedule(dynamic, 32)
  for (int row = 0; row < n; ++row) {
    float re = 0.25f * y[2 * row], im = 0.25f * y[2 * row + 1];
    for (int column = 0; column <= row; ++column) {
      const float* m = a + 2 * (row + (long)column * n);
      re += m[0] * x[2 * column] - m[1] * x[2 * column + 1];
      im += m[0] * x[2 * column + 1] + m[1] * x[2 * column];
    }
    y[2 * row] = 0.01f * re;
    y[2 * row + 1] = 0.01f * im;
  }
}
