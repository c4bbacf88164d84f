// SPDX-License-Identifier: MIT
// HeCBench, quant3MatMul: a vector times a matrix of 3-bit numbers, 32 of them in three words
/*
inner: 2048 | 512
width: 4096 | 256
height: inner * 3 // 32 | inner * 3 // 32
launch: height // 24, width // 256 x 256
vector: float[inner] = uniform(-1, 1)
matrix: int[height * width] = integers(-2**31, 2**31)
product: float[width] -> 1e-4
scales: float[width] = uniform(0.5, 1.5)
zeros: float[width] = uniform(1, 4)
height: int
width: int
*/
__global__ void vector_times_matrix(const float* __restrict__ vector, const int* __restrict__ matrix,
                                    float* __restrict__ product, const float* __restrict__ scales,
                                    const float* __restrict__ zeros, int height, int width) {
  int row = 24 * blockIdx.x, column = 256 * blockIdx.y + threadIdx.x;
  __shared__ float part[256];
  part[threadIdx.x] = vector[row / 24 * 256 + threadIdx.x];
  float scale = scales[column], zero = zeros[column], sum = 0;
  int i = width * row + column, k = 0;
  __syncthreads();
  while (k < 256) {
    unsigned word = matrix[i];
#pragma unroll
    for (int j = 0; j < 10; ++j) sum += (scale * (word >> 3 * j & 7) - zero) * part[k + j];
    i += width;
    unsigned next = matrix[i];
    sum += (scale * (word >> 30 | (next << 2 & 4)) - zero) * part[k + 10];
    next >>= 1;
    k += 11;
#pragma unroll
    for (int j = 0; j < 10; ++j) sum += (scale * (next >> 3 * j & 7) - zero) * part[k + j];
    i += width;
    word = matrix[i];
    sum += (scale * (next >> 30 | (word << 1 & 6)) - zero) * part[k + 10];
    word >>= 2;
    k += 11;
#pragma unroll
    for (int j = 0; j < 10; ++j) sum += (scale * (word >> 3 * j & 7) - zero) * part[k + j];
    i += width;
    k += 10;
  }
  atomicAdd(&product[column], sum);
}
//---- C++
void reference(const float* vector, const int* matrix, float* product, const float* scales, const float* zeros,
               int height, int width) {
#pragma omp parallel for
  for (int start = 0; start < width; start += 64) {
    const int count = std::min(64, width - start);
    float sums[64] = {};
    for (int row = 0; row < height; row += 3) {
      const int* words = matrix + (size_t)row * width + start;
      const float* part = vector + row / 3 * 32;
#pragma omp simd
      for (int i = 0; i < count; ++i) {
        const unsigned a = words[i], b = words[width + i], c = words[2 * width + i];
        const float scale = scales[start + i], zero = zeros[start + i];
        float sum = 0;
        for (int j = 0; j < 10; ++j) {
          sum += (scale * (int)(a >> 3 * j & 7) - zero) * part[j];
          sum += (scale * (int)(b >> (3 * j + 1) & 7) - zero) * part[j + 11];
          sum += (scale * (int)(c >> (3 * j + 2) & 7) - zero) * part[j + 22];
        }
        sum += (scale * (int)(a >> 30 | (b << 2 & 4)) - zero) * part[10];
        sum += (scale * (int)(b >> 31 | (c << 1 & 6)) - zero) * part[21];
        sums[i] += sum;
      }
    }
    for (int i = 0; i < count; ++i) product[start + i] += sums[i];
  }
}
