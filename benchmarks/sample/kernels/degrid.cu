// SPDX-License-Identifier: MIT
// HeCBench, degrid: samples between the points of a complex grid, weighted by an oversampled filter of 16 x 16
/*
points: 8192 | 64
size: 512 | 64
launch: 64 if points > 99 else 2 x 32, 4
places: float[2 * points] = uniform(10, size - 10)
image: float[2 * size * size] = uniform(-1, 1)
filter: float[2 * 64 * 256 + 512] = uniform(-1, 1)
result: float[2 * points] -> 1e-4
points: int
size: int
*/
__global__ void degrid(const float2* places, const float2* image, const float2* filter, float2* result, int points,
                       int size) {
  for (int n = 32 * blockIdx.x; n < points; n += 32 * gridDim.x) {
    for (int q = threadIdx.y; q < 32; q += blockDim.y) {
      float2 place = places[n + q];
      int x = (int)floorf(place.x), y = (int)floorf(place.y);
      int part_x = (int)floorf(8 * (place.x - x)), part_y = (int)floorf(8 * (place.y - y));
      const float2* weights = filter + 256 * (8 * part_y + part_x);
      float re = 0, im = 0;
      for (int a = (int)threadIdx.x - 8; a < 8; a += blockDim.x) {
        for (int b = -8; b < 8; ++b) {
          float2 pixel = make_float2(0, 0);
          if (x + a >= 0 && y + b >= 0 && x + a < size && y + b < size) pixel = image[x + a + size * (y + b)];
          float2 w = weights[16 * (b + 8) + a + 8];
          re += pixel.x * w.x - pixel.y * w.y;
          im += pixel.x * w.y + pixel.y * w.x;
        }
      }
      for (int step = 16; step > 0; step /= 2) {
        re += __shfl_down_sync(0xffffffff, re, step);
        im += __shfl_down_sync(0xffffffff, im, step);
      }
      if (threadIdx.x == 0) result[n + q] = make_float2(re, im);
    }
  }
}
//---- C++
void reference(const float* places, const float* image, const float* filter, float* result, int points, int size) {
#pragma omp parallel for
  for (int n = 0; n < points; ++n) {
    int x = (int)std::floor(places[2 * n]), y = (int)std::floor(places[2 * n + 1]);
    int part_x = (int)std::floor(8 * (places[2 * n] - x)), part_y = (int)std::floor(8 * (places[2 * n + 1] - y));
    const float* weights = filter + 512 * (8 * part_y + part_x);
    float re = 0, im = 0;
    for (int b = -8; b < 8; ++b) {
      for (int a = -8; a < 8; ++a) {
        if (x + a < 0 || y + b < 0 || x + a >= size || y + b >= size) continue;
        const float* pixel = image + 2 * (x + a + size * (y + b));
        const float* w = weights + 2 * (16 * (b + 8) + a + 8);
        re += pixel[0] * w[0] - pixel[1] * w[1];
        im += pixel[0] * w[1] + pixel[1] * w[0];
      }
    }
    result[2 * n] = re;
    result[2 * n + 1] = im;
  }
}
