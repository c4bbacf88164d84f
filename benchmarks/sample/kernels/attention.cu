// SPDX-License-Identifier: MIT
// HeCBench, attention: products of a query with keys, a warp a key, and the sum of their exponentials
/*
n: 65536 | 260
d: 128 | 70
launch: ceil(n, 8) x 256
keys: float[n * d] = uniform(-0.1, 0.1)
query: float[d] = uniform(-1, 1)
products: float[n] -> 1e-5
total: float[1] = 0 -> 1e-4
n: int
d: int
*/
__global__ void scores(const float* keys, const float* query, float* products, float* total, int n, int d) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= n) return;
  float sum = 0;
  for (int j = lane; j < d; j += 32) sum += keys[row * d + j] * query[j];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (lane == 0) {
    products[row] = sum;
    atomicAdd(total, __expf(sum));
  }
}
//---- C++
void reference(const float* keys, const float* query, float* products, float* total, int n, int d) {
  float all = 0;
#pragma omp parallel for reduction(+ : all)
  for (int row = 0; row < n; ++row) {
    float sum = 0;
    for (int j = 0; j < d; ++j) sum += keys[row * d + j] * query[j];
    products[row] = sum;
    all += std::exp(sum);
  }
  *total += all;
}
