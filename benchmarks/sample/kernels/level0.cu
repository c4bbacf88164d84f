// SPDX-License-Identifier: MIT
// SHOC, level0: repeated sums of 16 values of a ring in shared memory
/*
size: 65536 | 5000
threads: 16384 | 768
repeats: 100 | 130
launch: threads // 256 x 256
data: float[size] = uniform(0, 1)
sums: float[threads] -> 1e-4
size: int
repeats: int
threads: int
*/
__global__ void read_shared(const float* data, float* sums, int size, int repeats, int threads) {
  __shared__ float ring[2048];
  int thread = threadIdx.x, each = 2048 / blockDim.x, start = blockDim.x * blockIdx.x + thread * each, j = 0;
  for (; j < each && j < size - start; ++j) ring[thread * each + j] = data[start + j];
  for (int i = 0; j < each; ++j, ++i) ring[thread * each + j] = data[i];
  __syncthreads();
  float sum = 0;
  for (int repeat = 0, at = thread; repeat < repeats; ++repeat) {
    float a0 = ring[at & 2047], a1 = ring[(at + 1) & 2047], a2 = ring[(at + 2) & 2047], a3 = ring[(at + 3) & 2047];
    float a4 = ring[(at + 4) & 2047], a5 = ring[(at + 5) & 2047], a6 = ring[(at + 6) & 2047];
    float a7 = ring[(at + 7) & 2047], a8 = ring[(at + 8) & 2047], a9 = ring[(at + 9) & 2047];
    float a10 = ring[(at + 10) & 2047], a11 = ring[(at + 11) & 2047], a12 = ring[(at + 12) & 2047];
    float a13 = ring[(at + 13) & 2047], a14 = ring[(at + 14) & 2047], a15 = ring[(at + 15) & 2047];
    sum += a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12 + a13 + a14 + a15;
    at = (at + 16) & 2047;
  }
  sums[threadIdx.x + blockDim.x * blockIdx.x] = sum;
}
//---- C++
void reference(const float* data, float* sums, int size, int repeats, int threads) {
#pragma omp parallel for
  for (int block = 0; block < threads / 256; ++block) {
    // The ring, and as much of its start again as 256 threads read beyond its end.
    float ring[2048 + 256 + 16];
    for (int thread = 0; thread < 256; ++thread) {
      int start = 256 * block + 8 * thread, j = 0;
      for (; j < 8 && j < size - start; ++j) ring[8 * thread + j] = data[start + j];
      for (int i = 0; j < 8; ++j, ++i) ring[8 * thread + j] = data[i];
    }
    std::copy_n(ring, 256 + 16, ring + 2048);
    float* block_sums = sums + 256 * block;
    std::fill_n(block_sums, 256, 0.0f);
    for (int repeat = 0; repeat < repeats; ++repeat) {
      const float* from = ring + (16 * repeat & 2047);
      for (int thread = 0; thread < 256; ++thread) {
        float sum = 0;
        for (int k = 0; k < 16; ++k) sum += from[thread + k];
        block_sums[thread] += sum;
      }
    }
  }
}
