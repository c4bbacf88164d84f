// SPDX-License-Identifier: MIT
// HeCBench, layernorm: rows less their means, by their deviations, a block a row with four numbers a thread at a time
/*
rows: 4096 | 6
columns: 768 | 132
launch: rows x 256
out: float[rows * columns] -> 1e-5
mean: float[rows] -> 1e-5
deviation: float[rows] -> 1e-5
input: float[rows * columns] = uniform(-1, 1)
weight: float[columns] = uniform(-1, 1)
bias: float[columns] = uniform(-1, 1)
rows: int
columns: int
*/
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
__global__ void layernorm_forward(float* __restrict__ out, float* __restrict__ mean, float* __restrict__ deviation,
                                  const float* __restrict__ input, const float* __restrict__ weight,
                                  const float* __restrict__ bias, int rows, int columns) {
  const float* row = input + blockIdx.x * columns;
  int start = 4 * threadIdx.x, step = 4 * blockDim.x;
  float sum = 0;
  for (long long at = start; at < columns; at += step) {
    float4 v = *(const float4*)(row + at);
    sum += v.x;
    sum += v.y;
    sum += v.z;
    sum += v.w;
  }
  float middle = block_sum(sum) / columns;
  if (threadIdx.x == 0) __stcs(mean + blockIdx.x, middle);
  sum = 0;
  for (long long at = start; at < columns; at += step) {
    float4 v = *(const float4*)(row + at);
    v = make_float4(v.x - middle, v.y - middle, v.z - middle, v.w - middle);
    sum += v.x * v.x;
    sum += v.y * v.y;
    sum += v.z * v.z;
    sum += v.w * v.w;
  }
  float scale = rsqrtf(block_sum(sum) / columns + 1e-5f);
  if (threadIdx.x == 0 && deviation != nullptr) __stcs(deviation + blockIdx.x, scale);
  for (long long at = start; at < columns; at += step) {
    float4 v = *(const float4*)(row + at), w = *(const float4*)(weight + at), b = *(const float4*)(bias + at);
    v.x = (v.x - middle) * scale * w.x + b.x;
    v.y = (v.y - middle) * scale * w.y + b.y;
    v.z = (v.z - middle) * scale * w.z + b.z;
    v.w = (v.w - middle) * scale * w.w + b.w;
    *(float4*)(out + blockIdx.x * columns + at) = v;
  }
}
//---- C++
void reference(float* out, float* mean, float* deviation, const float* input, const float* weight, const float* bias,
               int rows, int columns) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    const float* row = input + (size_t)i * columns;
    float* to = out + (size_t)i * columns;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int c = 0; c < columns; ++c) sum += row[c];
    const float middle = sum / columns;
    sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int c = 0; c < columns; ++c) sum += (row[c] - middle) * (row[c] - middle);
    const float scale = 1.0f / std::sqrt(sum / columns + 1e-5f);
    mean[i] = middle;
    deviation[i] = scale;
    for (int c = 0; c < columns; ++c) to[c] = (row[c] - middle) * scale * weight[c] + bias[c];
  }
}
