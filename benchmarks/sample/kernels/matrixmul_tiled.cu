// SPDX-License-Identifier: MIT
// PyCUDA, matrixmul_tiled: product of square matrices through tiles of 16 x 16 in shared memory
/*
n: 256 | 256
launch: n // 16, n // 16 x 16, 16
a: float[n * n] = uniform(-1, 1)
b: float[n * n] = uniform(-1, 1)
c: float[n * n] -> 1e-5
*/
__global__ void multiply(float* a, float* b, float* c) {
  const unsigned width = 256, bx = blockIdx.x, by = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
  const unsigned first = width * 16 * by, last = first + width - 1;
  float sum = 0;
  for (int at_a = first, at_b = 16 * bx; at_a <= last; at_a += 16, at_b += 16 * width) {
    __shared__ float tile_a[16][16];
    __shared__ float tile_b[16][16];
    tile_a[y][x] = a[at_a + width * y + x];
    tile_b[y][x] = b[at_b + width * y + x];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  c[width * 16 * by + 16 * bx + width * y + x] = sum;
}
//---- C++
void reference(const float* a, const float* b, float* c) {
  constexpr int n = 256;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float row[n] = {};
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) row[j] += a[i * n + k] * b[k * n + j];
    std::copy_n(row, n, c + i * n);
  }
}
