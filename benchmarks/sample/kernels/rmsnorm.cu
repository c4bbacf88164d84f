// SPDX-License-Identifier: MIT
// HeCBench, rmsnorm: rows by the roots of their mean squares, a block a row with eight halves a thread at a time
/*
rows: 2048 | 5
columns: 1024 | 264
launch: rows x 128
input: half[rows * columns] = uniform(-1, 1)
gamma: half[columns] = uniform(0.5, 1.5)
output: half[rows * columns] -> 1e-3
columns: long
epsilon: float = 1e-5
rows: int
*/
#include <cuda_fp16.h>
struct Eight {
  uint4 bits;
  __device__ __half operator[](int i) const { return reinterpret_cast<const __half*>(&bits)[i]; }
  __device__ void set(int i, __half value) { reinterpret_cast<__half*>(&bits)[i] = value; }
};
__device__ float block_sum(float value) {
  __shared__ float sums[32], total;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  if (lane == 0) sums[warp] = value;
  __syncthreads();
  if (warp == 0) {
    value = lane < blockDim.x / 32 ? sums[lane] : 0;
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
    if (lane == 0) total = value;
  }
  __syncthreads();
  return total;
}
__global__ void rmsnorm_forward(const __half* __restrict__ input, const __half* __restrict__ gamma, __half* output,
                                long long columns, float epsilon, int rows) {
  const __half* row = input + blockIdx.x * columns;
  int start = 8 * threadIdx.x, step = 8 * blockDim.x;
  float squares = 0;
  for (long long at = start; at < columns; at += step) {
    Eight values = *(const Eight*)(row + at);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float value = __half2float(values[i]);
      squares += value * value;
    }
  }
  float scale = rsqrtf(block_sum(squares) / (float)columns + epsilon);
  for (long long at = start; at < columns; at += step) {
    Eight values = *(const Eight*)(row + at), factors = *(const Eight*)(gamma + at), results;
#pragma unroll
    for (int i = 0; i < 8; ++i)
      results.set(i, __float2half(__half2float(values[i]) * scale * __half2float(factors[i])));
    *(Eight*)(output + blockIdx.x * columns + at) = results;
  }
}
//---- C++
void reference(const unsigned short* input, const unsigned short* gamma, unsigned short* output, long columns,
               float epsilon, int rows) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    const unsigned short* row = input + i * columns;
    unsigned short* to = output + i * columns;
    float squares = 0;
#pragma omp simd reduction(+ : squares)
    for (long c = 0; c < columns; ++c) squares += from_half(row[c]) * from_half(row[c]);
    const float scale = 1.0f / std::sqrt(squares / columns + epsilon);
    for (long c = 0; c < columns; ++c) to[c] = to_half(from_half(row[c]) * scale * from_half(gamma[c]));
  }
}
