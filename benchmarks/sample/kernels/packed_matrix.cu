// SPDX-License-Identifier: MIT
// CuPy, packed_matrix: products of matrices of 4 x 4, a matrix a thread, plus a matrix that is a value
/*
n: 262_144 | 77
launch: ceil(n, 64) x 64
a: float[16 * n] = uniform(-1, 1)
b: float[16 * n] = uniform(-1, 1)
c: float(16) = uniform(-1, 1)
out: float[16 * n] -> 1e-5
n: int
*/
template <typename T> struct Matrix {
  T value[4][4];
  __device__ T& operator()(int i, int j) { return value[i][j]; }
  __device__ const T& operator()(int i, int j) const { return value[i][j]; }
};
template <typename T> __device__ Matrix<T> operator+(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> sum;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) sum(i, j) = a(i, j) + b(i, j);
  return sum;
}
template <typename T> __device__ Matrix<T> operator*(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> product;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      product(i, j) = T(0);
      for (int k = 0; k < 4; ++k) product(i, j) += a(i, k) * b(k, j);
    }
  }
  return product;
}
__global__ void multiply_add(const Matrix<float>* a, const Matrix<float>* b, const Matrix<float> c,
                             Matrix<float>* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = a[i] * b[i] + c;
}
//---- C++
void reference(const float* a, const float* b, const float* c, float* out, int n) {
#pragma omp parallel for
  for (int m = 0; m < n; ++m) {
    for (int i = 0; i < 4; ++i) {
      float row[4] = {};
      for (int k = 0; k < 4; ++k)
        for (int j = 0; j < 4; ++j) row[j] += a[16 * m + 4 * i + k] * b[16 * m + 4 * k + j];
      for (int j = 0; j < 4; ++j) out[16 * m + 4 * i + j] = row[j] + c[4 * i + j];
    }
  }
}
