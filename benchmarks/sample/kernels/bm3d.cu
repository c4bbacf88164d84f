// SPDX-License-Identifier: MIT
// HeCBench, bm3d: Walsh-Hadamard transforms across stacks of 8 x 8 patches, small coefficients become zero, and back
/*
columns: 96 | 5
rows: 64 | 3
deepest: 8 | 8
launch: columns, rows x 8, 8
shared: 64 * (deepest + 1) * 4
stacks: float[columns * rows * 64 * deepest] = uniform(0, 255) -> 1e-6
weights: float[columns * rows] -> 1e-6
others: uint[columns * rows] = (1 << integers(0, 4)) - 1
factor: float = 2.7
variance: uint = 400
deepest: int
width: int = 3 * columns - 1
height: int = 3 * rows - 1
*/
__device__ void walsh_hadamard(float* data, unsigned n) {
  for (unsigned half = 1; half < n; half *= 2) {
    for (unsigned start = 0; start < n; start += 2 * half) {
      for (unsigned i = start; i < start + half; ++i) {
        float a = data[i], b = data[i + half];
        data[i] = a + b;
        data[i + half] = a - b;
      }
    }
  }
}
__global__ void hard_threshold(float* stacks, float* weights, const unsigned* others, float factor, unsigned variance,
                               int deepest, int width, int height) {
  extern __shared__ float data[];
  unsigned count = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
  unsigned group = blockIdx.y * gridDim.x + blockIdx.x;
  if (3 * blockIdx.x >= width || 3 * blockIdx.y >= height) return;
  unsigned patches = others[group] + 1;
  float* own = data + thread * (patches + 1);
  float* stack = stacks + group * count * deepest + thread;
  for (unsigned i = 0; i < patches; ++i) own[i] = stack[i * count];
  walsh_hadamard(own, patches);
  float threshold = factor * sqrtf((float)(patches * variance));
  unsigned kept = 0;
  for (unsigned i = 0; i < patches; ++i) {
    if (fabsf(own[i]) < threshold)
      own[i] = 0;
    else
      ++kept;
  }
  walsh_hadamard(own, patches);
  for (unsigned i = 0; i < patches; ++i) stack[i * count] = own[i] / patches;
  __syncthreads();
  unsigned* sums = (unsigned*)data;
  for (int step = 16; step > 0; step /= 2) kept += __shfl_down_sync(0xffffffff, kept, step);
  if (thread % 32 == 0) sums[thread / 32] = kept;
  __syncthreads();
  if (thread < 32) {
    kept = thread < count / 32 ? sums[thread] : 0;
    for (int step = 16; step > 0; step /= 2) kept += __shfl_down_sync(0xffffffff, kept, step);
    if (thread == 0) weights[group] = 1.0f / (kept < 1 ? 1 : kept);
  }
}
//---- C++
inline void walsh_hadamard(float (*data)[64], unsigned n) {
  for (unsigned half = 1; half < n; half *= 2) {
    for (unsigned start = 0; start < n; start += 2 * half) {
      for (unsigned i = start; i < start + half; ++i) {
        for (int pixel = 0; pixel < 64; ++pixel) {
          float a = data[i][pixel], b = data[i + half][pixel];
          data[i][pixel] = a + b;
          data[i + half][pixel] = a - b;
        }
      }
    }
  }
}
void reference(float* stacks, float* weights, const unsigned* others, float factor, unsigned variance, int deepest,
               int width, int height) {
  const int groups = ((width + 1) / 3) * ((height + 1) / 3);
#pragma omp parallel for schedule(dynamic, 16)
  for (int group = 0; group < groups; ++group) {
    unsigned patches = others[group] + 1;
    float(*data)[64] = (float(*)[64])(stacks + (size_t)group * 64 * deepest);
    walsh_hadamard(data, patches);
    float threshold = factor * std::sqrt((float)(patches * variance));
    int kept = 0;
    for (unsigned i = 0; i < patches; ++i) {
      for (int pixel = 0; pixel < 64; ++pixel) {
        bool large = std::fabs(data[i][pixel]) >= threshold;
        kept += large;
        data[i][pixel] = large ? data[i][pixel] : 0;
      }
    }
    walsh_hadamard(data, patches);
    for (unsigned i = 0; i < patches; ++i)
      for (int pixel = 0; pixel < 64; ++pixel) data[i][pixel] /= patches;
    weights[group] = 1.0f / std::max(kept, 1);
  }
}
