// SPDX-License-Identifier: MIT
// HeCBench, gibbs: sums of values and of their logarithms, a block each 256
/*
n: 4_194_304 | 5000
launch: ceil(n, 256) x 256
theta: float[n] = uniform(0.1, 4)
sums: float[ceil(n, 256)] -> 1e-5
logs: float[ceil(n, 256)] -> 1e-5
n: int
*/
__global__ void block_sums(const float* theta, float* sums, float* logs, int n) {
  __shared__ float sum[256], log_sum[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  sum[t] = i < n ? theta[i] : 0.0f;
  log_sum[t] = i < n ? logf(theta[i]) : 0.0f;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) {
      sum[t] += sum[t + half];
      log_sum[t] += log_sum[t + half];
    }
    __syncthreads();
  }
  if (t == 0) {
    sums[blockIdx.x] = sum[0];
    logs[blockIdx.x] = log_sum[0];
  }
}
//---- C++
void reference(const float* theta, float* sums, float* logs, int n) {
#pragma omp parallel for
  for (int block = 0; block < (n + 255) / 256; ++block) {
    float sum = 0, log_sum = 0;
    for (int i = block * 256; i < std::min(n, block * 256 + 256); ++i) {
      sum += theta[i];
      log_sum += std::log(theta[i]);
    }
    sums[block] = sum;
    logs[block] = log_sum;
  }
}
