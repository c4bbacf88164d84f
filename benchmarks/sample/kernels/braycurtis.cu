// SPDX-License-Identifier: MIT
// HeCBench, braycurtis: gradient of the Bray-Curtis distances of rows, by the first rows
/*
batch: 4 | 2
p: 128 | 9
q: 96 | 7
r: 128 | 20
launch: 256 if p > 99 else 2 x 256
x: float[batch * p * r] = uniform(0.1, 1)
y: float[batch * q * r] = uniform(0.1, 1)
grad: float[batch * p * q] = uniform(-1, 1)
differences: float[batch * p * q] = uniform(1, 3)
sums: float[batch * p * q] = uniform(5, 9)
result: float[batch * p * r] -> 1e-5
batch: int
p: int
q: int
r: int
*/
__device__ float sign(float v) { return v > 0 ? 1.0f : v < 0 ? -1.0f : 0.0f; }
__global__ void backward(const float* x, const float* y, const float* grad, const float* differences, const float* sums,
                         float* result, int batch, int p, int q, int r) {
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < batch * p * r; index += gridDim.x * blockDim.x) {
    int k = index % r, i = index / r % p, b = index / (r * p);
    float own = x[index], value = 0;
    for (int j = 0; j < q; ++j) {
      float other = y[(b * q + j) * r + k];
      int pair = (b * p + i) * q + j;
      float s = sums[pair];
      value += grad[pair] * (sign(own - other) / s - sign(own + other) * differences[pair] / s / s);
    }
    result[index] = value;
  }
}
//---- C++
inline float sign(float v) { return v > 0 ? 1.0f : v < 0 ? -1.0f : 0.0f; }
void reference(const float* x, const float* y, const float* grad, const float* differences, const float* sums,
               float* result, int batch, int p, int q, int r) {
#pragma omp parallel for
  for (int row = 0; row < batch * p; ++row) {
    int b = row / p;
    for (int k = 0; k < r; ++k) {
      float own = x[row * r + k], value = 0;
      for (int j = 0; j < q; ++j) {
        float other = y[(b * q + j) * r + k], s = sums[row * q + j];
        value += grad[row * q + j] * (sign(own - other) / s - sign(own + other) * differences[row * q + j] / s / s);
      }
      result[row * r + k] = value;
    }
  }
}
