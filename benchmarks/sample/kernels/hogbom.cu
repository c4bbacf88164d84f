// SPDX-License-Identifier: MIT
// HeCBench, hogbom: the largest absolute value of an image and its place, one a block
/*
n: 8_388_608 | 20_000
launch: 64 if n > 99999 else 4 x 256
image: float[n] = uniform(-1, 1)
values: float[64 if n > 99999 else 4] -> 0
places: long[64 if n > 99999 else 4] -> 0
n: long
blocks: int = 64 if n > 99999 else 4
*/
__global__ void find_peak(const float* image, float* values, long* places, long n, int blocks) {
  __shared__ float value[256];
  __shared__ long place[256];
  float best = 0;
  long at = 0;
  for (long i = threadIdx.x + blockIdx.x * 256; i < n; i += 256 * blocks) {
    if (fabsf(image[i]) > fabsf(best)) {
      best = image[i];
      at = i;
    }
  }
  value[threadIdx.x] = best;
  place[threadIdx.x] = at;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < 256; ++i) {
    if (fabsf(value[i]) > fabsf(best) || (fabsf(value[i]) == fabsf(best) && place[i] < at)) {
      best = value[i];
      at = place[i];
    }
  }
  values[blockIdx.x] = best;
  places[blockIdx.x] = at;
}
//---- C++
void reference(const float* image, float* values, long* places, long n, int blocks) {
#pragma omp parallel for
  for (int block = 0; block < blocks; ++block) {
    float best = 0;
    long at = 0;
    for (long start = block * 256; start < n; start += 256 * blocks) {
      for (long i = start; i < std::min(n, start + 256); ++i) {
        if (std::fabs(image[i]) > std::fabs(best)) {
          best = image[i];
          at = i;
        }
      }
    }
    values[block] = best;
    places[block] = at;
  }
}
