// SPDX-License-Identifier: MIT
// HeCBench, scel: mean cross entropies of rows of logits after a sigmoid, summed over a block by shuffles
/*
rows: 1024 | 5
width: 2048 | 301
launch: rows x 256
width: int
log_trick: uchar = 0
unjoined: uchar = 0
logits: float[rows * width] = uniform(-4, 4)
targets: float[rows * width] = uniform(0, 1)
losses: float[rows] -> 1e-5
rows: int
*/
__device__ float plain(float x, float target) {
  return x * (target - (x >= 0)) - log(1 + exp(x - 2 * x * (x >= 0)));
}
__device__ float with_trick(float x, float target) { return (2 * target - 1) * (x - log(1 + exp(x))); }
__device__ float unjoined_loss(float x, float target) {
  return x * target + (target - 1) * x * (x >= 0) - (1 - target) * log(1 + exp(x - 2 * x * (x >= 0)));
}
__global__ void cross_entropy(const int width, const bool log_trick, const bool unjoined, const float* logits,
                              const float* targets, float* losses, int rows) {
  int row = blockIdx.x;
  if (row >= rows) return;
  float value = 0;
  for (int i = row * width + threadIdx.x; i < (row + 1) * width; i += blockDim.x) {
    float x = logits[i], target = targets[i];
    if (unjoined) value += unjoined_loss(x, target);
    else value += log_trick ? with_trick(x, target) : plain(x, target);
  }
  __shared__ float of_warps[8];
  for (int step = 1; step < 32; step *= 2) value += __shfl_down_sync(0xffffffff, value, step);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < 8; ++warp) value += of_warps[warp];
    losses[row] = -value / width;
  }
}
//---- C++
inline float plain(float x, float target) {
  return x * (target - (x >= 0)) - std::log(1 + std::exp(x - 2 * x * (x >= 0)));
}
inline float with_trick(float x, float target) { return (2 * target - 1) * (x - std::log(1 + std::exp(x))); }
inline float unjoined_loss(float x, float target) {
  return x * target + (target - 1) * x * (x >= 0) - (1 - target) * std::log(1 + std::exp(x - 2 * x * (x >= 0)));
}
void reference(int width, bool log_trick, bool unjoined, const float* logits, const float* targets, float* losses,
               int rows) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    const float *x = logits + row * width, *target = targets + row * width;
    float sum = 0;
    if (unjoined)
      for (int i = 0; i < width; ++i) sum += unjoined_loss(x[i], target[i]);
    else if (log_trick)
      for (int i = 0; i < width; ++i) sum += with_trick(x[i], target[i]);
    else
      for (int i = 0; i < width; ++i) sum += plain(x[i], target[i]);
    losses[row] = -sum / width;
  }
}
