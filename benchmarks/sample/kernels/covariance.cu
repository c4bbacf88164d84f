// SPDX-License-Identifier: MIT
// PolyBench, covariance: products of a column with it and those after it, a column a thread, summed in global memory
/*
m: 512 | 53
n: 128 | 37
launch: ceil(m, 256) x 256
m: int
n: int
products: float[m * m] -> 1e-5
data: float[n * m] = uniform(-1, 1)
*/
__global__ void column_products(int m, int n, float* products, float* data) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column < m) {
    for (int other = column; other < m; ++other) {
      products[column * m + other] = 0.0;
      for (int i = 0; i < n; ++i) products[column * m + other] += data[i * m + column] * data[i * m + other];
      products[other * m + column] = products[column * m + other];
    }
  }
}
//---- C++
void reference(int m, int n, float* products, const float* data) {
#pragma omp parallel for schedule(dynamic, 8)
  for (int column = 0; column < m; ++column) {
    float* row = products + column * m;
    for (int other = column; other < m; ++other) row[other] = 0;
    for (int i = 0; i < n; ++i) {
      float value = data[i * m + column];
      for (int other = column; other < m; ++other) row[other] += value * data[i * m + other];
    }
    for (int other = column; other < m; ++other) products[other * m + column] = row[other];
  }
}
