// SPDX-License-Identifier: MIT
// HeCBench, minkowski: distances of order p between rows and columns, a thread a pair
/*
m: 128 | 19
inner: 128 | 23
k: 256 | 37
launch: ceil(k, 16), ceil(m, 16) x 16, 16
a: float[m * inner] = uniform(0, 1)
b: float[inner * k] = uniform(0, 1)
c: float[m * k] -> 1e-5
p: float = 3
inverse: float = 1 / 3
m: int
inner: int
k: int
*/
__global__ void minkowski(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, float p,
                          float inverse, int m, int inner, int k) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= k || row >= m) return;
  float sum = 0;
  for (int i = 0; i < inner; ++i) sum += powf(fabsf(a[row * inner + i] - b[i * k + column]), p);
  c[row * k + column] = powf(sum, inverse);
}
//---- C++
void reference(const float* a, const float* b, float* c, float p, float inverse, int m, int inner, int k) {
#pragma omp parallel for
  for (int row = 0; row < m; ++row) {
    float* to = c + row * k;
    std::fill_n(to, k, 0.0f);
    for (int i = 0; i < inner; ++i) {
      const float own = a[row * inner + i];
      for (int column = 0; column < k; ++column) to[column] += std::pow(std::fabs(own - b[i * k + column]), p);
    }
    for (int column = 0; column < k; ++column) to[column] = std::pow(to[column], inverse);
  }
}
