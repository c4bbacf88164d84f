// SPDX-License-Identifier: MIT
// HeCBench, axhelm: Helmholtz operator on elements of 8 x 8 x 8 points, an element a block
/*
elements: 640 | 5
launch: elements x 8, 8
geometry: float[elements * 7 * 512] = uniform(0.5, 1.5)
matrix: float[64] = uniform(-1, 1)
factors: float[2 * elements * 512] = uniform(0.5, 1.5)
q: float[elements * 512] = uniform(-1, 1)
result: float[elements * 512] -> 1e-5
elements: int
*/
__global__ void axhelm(const float* geometry, const float* matrix, const float* factors, const float* q, float* result,
                       int elements) {
  __shared__ float d[8][8], plane[8][8], along_r[8][8], along_s[8][8];
  int i = threadIdx.x, j = threadIdx.y, element = blockIdx.x, here = element * 512 + j * 8 + i;
  float column[8], sums[8];
  d[j][i] = matrix[j * 8 + i];
  for (int k = 0; k < 8; ++k) {
    column[k] = q[here + k * 64];
    sums[k] = 0;
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const float* g = geometry + element * 7 * 512 + k * 64 + j * 8 + i;
    float g00 = g[0], g01 = g[512], g02 = g[1024], g11 = g[1536], g12 = g[2048], g22 = g[2560], mass = g[3072];
    float first = factors[here + k * 64], second = factors[here + k * 64 + elements * 512];
    __syncthreads();
    plane[j][i] = column[k];
    float t = 0;
#pragma unroll
    for (int m = 0; m < 8; ++m) t += d[k][m] * column[m];
    __syncthreads();
    float r = 0, s = 0;
#pragma unroll
    for (int m = 0; m < 8; ++m) {
      r += d[i][m] * plane[j][m];
      s += d[j][m] * plane[m][i];
    }
    along_s[j][i] = first * (g01 * r + g11 * s + g12 * t);
    along_r[j][i] = first * (g00 * r + g01 * s + g02 * t);
    float along_t = first * (g02 * r + g12 * s + g22 * t);
    float sum = mass * second * column[k];
    __syncthreads();
#pragma unroll
    for (int m = 0; m < 8; ++m) {
      sum += d[m][j] * along_s[m][i];
      sums[m] += d[k][m] * along_t;
      sum += d[m][i] * along_r[j][m];
    }
    sums[k] += sum;
  }
  for (int k = 0; k < 8; ++k) result[here + k * 64] = sums[k];
}
//---- C++
void reference(const float* geometry, const float* matrix, const float* factors, const float* q, float* result,
               int elements) {
  float transposed[64];
  for (int i = 0; i < 64; ++i) transposed[i] = matrix[i % 8 * 8 + i / 8];
#pragma omp parallel for
  for (int element = 0; element < elements; ++element) {
    const float *g = geometry + element * 7 * 512, *own = q + element * 512;
    const float *first = factors + element * 512, *second = first + elements * 512;
    float r[512] = {}, s[512] = {}, t[512] = {};
    for (int row = 0; row < 64; ++row)
      for (int m = 0; m < 8; ++m)
        for (int i = 0; i < 8; ++i) r[row * 8 + i] += transposed[m * 8 + i] * own[row * 8 + m];
    for (int k = 0; k < 8; ++k)
      for (int j = 0; j < 8; ++j)
        for (int m = 0; m < 8; ++m)
          for (int i = 0; i < 8; ++i) s[k * 64 + j * 8 + i] += matrix[j * 8 + m] * own[k * 64 + m * 8 + i];
    for (int k = 0; k < 8; ++k)
      for (int m = 0; m < 8; ++m)
        for (int i = 0; i < 64; ++i) t[k * 64 + i] += matrix[k * 8 + m] * own[m * 64 + i];
    float sum[512];
    for (int i = 0; i < 512; ++i) {
      float a = r[i], b = s[i], c = t[i];
      r[i] = first[i] * (g[i] * a + g[512 + i] * b + g[1024 + i] * c);
      s[i] = first[i] * (g[512 + i] * a + g[1536 + i] * b + g[2048 + i] * c);
      t[i] = first[i] * (g[1024 + i] * a + g[2048 + i] * b + g[2560 + i] * c);
      sum[i] = g[3072 + i] * second[i] * own[i];
    }
    for (int row = 0; row < 64; ++row)
      for (int m = 0; m < 8; ++m)
        for (int i = 0; i < 8; ++i) sum[row * 8 + i] += matrix[m * 8 + i] * r[row * 8 + m];
    for (int k = 0; k < 8; ++k)
      for (int j = 0; j < 8; ++j)
        for (int m = 0; m < 8; ++m)
          for (int i = 0; i < 8; ++i) sum[k * 64 + j * 8 + i] += matrix[m * 8 + j] * s[k * 64 + m * 8 + i];
    for (int k = 0; k < 8; ++k)
      for (int m = 0; m < 8; ++m)
        for (int i = 0; i < 64; ++i) sum[k * 64 + i] += matrix[m * 8 + k] * t[m * 64 + i];
    std::copy_n(sum, 512, result + element * 512);
  }
}
