// SPDX-License-Identifier: MIT
// HeCBench, morphology: the least of 31 pixels of a column each, by scans to both sides in shared memory
/*
width: 512 | 37
height: 1984 | 100
size: 31 | 7
launch: width, ceil(height, size) x 1, size
shared: 4 * size
result: uchar[width * height] -> 0
picture: uchar[width * height] = integers(0, 256)
width: int
height: int
size: int
*/
__device__ unsigned char least(unsigned char a, unsigned char b) { return min(a, b); }
__device__ void scan_both_ways(const unsigned char* from, unsigned char* data, int size, int thread) {
  data[thread] = from[thread];
  data[thread + size] = from[thread + size];
  __syncthreads();
  for (int step = 1; step < size; step *= 2) {
    if (thread >= step)
      data[thread + size - 1] = least(data[thread + size - 1], data[thread + size - 1 - step]);
    if (thread <= size - 1 - step) data[thread] = least(data[thread], data[thread + step]);
    __syncthreads();
  }
}
__global__ void erode_columns(unsigned char* __restrict__ result, const unsigned char* __restrict__ picture, int width,
                              int height, int size) {
  extern __shared__ unsigned char shared[];
  unsigned char *buffer = shared, *data = shared + 2 * size;
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
  if (y >= height || x >= width) return;
  buffer[threadIdx.y] = picture[y * width + x];
  if (y + size < height) buffer[threadIdx.y + size] = picture[(y + size) * width + x];
  __syncthreads();
  scan_both_ways(buffer, data, size, threadIdx.y);
  if (y + size / 2 < height - size / 2)
    result[(y + size / 2) * width + x] = least(data[threadIdx.y], data[threadIdx.y + size - 1]);
  if (y < size / 2 || y >= height - size / 2) result[y * width + x] = 0;
}
//---- C++
void reference(unsigned char* result, const unsigned char* picture, int width, int height, int size) {
  const int half = size / 2, last = height - half;
  std::fill_n(result, half * width, 0);
  std::fill_n(result + last * width, half * width, 0);
  // The least of `size` rows in turn is that of two windows of a power of two.
  int power = 1;
  while (2 * power <= size) power *= 2;
#pragma omp parallel for
  for (int start = 0; start < width; start += 64) {
    const int count = std::min(64, width - start);
    std::vector<unsigned char> rows((size_t)height * 64);
    for (int y = 0; y < height; ++y) std::copy_n(picture + y * width + start, count, &rows[y * 64]);
    for (int step = 1; step < power; step *= 2)
      for (int y = 0; y + 2 * step <= height; ++y)
        for (int x = 0; x < 64; ++x) rows[y * 64 + x] = std::min(rows[y * 64 + x], rows[(y + step) * 64 + x]);
    for (int y = half; y < last; ++y) {
      const unsigned char *upper = &rows[(y - half) * 64], *lower = &rows[(y - half + size - power) * 64];
      for (int x = 0; x < count; ++x) result[y * width + start + x] = std::min(upper[x], lower[x]);
    }
  }
}
