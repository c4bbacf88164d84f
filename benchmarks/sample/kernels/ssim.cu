// SPDX-License-Identifier: MIT
// HeCBench, ssim: structural similarity of two volumes in windows of 7 x 7 x 7
/*
x: 64 | 19
y: 40 | 11
z: 24 | 9
launch: ceil(x, 8), ceil(y, 8), ceil(z, 8) x 8, 8, 8
x: uint
y: uint
z: uint
a: float[(x + 6) * (y + 6) * (z + 6)] = uniform(0, 1)
b: float[(x + 6) * (y + 6) * (z + 6)] = a + uniform(-0.3, 0.3)
extents: int(3) = [x + 6, y + 6, z + 6]
range: float = 1
norm: float = 343 / 342
k1: float = 0.01
k2: float = 0.03
similarity: float[x * y * z] -> 1e-4
*/
template <int window>
__device__ float similarity_at(int x, int y, int z, const float* a, const float* b, int3 extents, float range,
                               float norm, float k1, float k2) {
  float sum_a = 0, sum_b = 0, sum_aa = 0, sum_bb = 0, sum_ab = 0;
  for (int k = 0; k < window; ++k) {
    for (int j = 0; j < window; ++j) {
      for (int i = 0; i < window; ++i) {
        unsigned at = x + i + (y + j) * extents.x + (z + k) * extents.x * extents.y;
        float p = a[at], q = b[at];
        sum_a += p;
        sum_b += q;
        sum_aa += p * p;
        sum_bb += q * q;
        sum_ab += p * q;
      }
    }
  }
  const float each = 1.0f / (window * window * window);
  float u = sum_a * each, v = sum_b * each;
  float uu = norm * (sum_aa * each - u * u), vv = norm * (sum_bb * each - v * v), uv = norm * (sum_ab * each - u * v);
  float c1 = k1 * range * (k1 * range), c2 = k2 * range * (k2 * range);
  return (2 * u * v + c1) * (2 * uv + c2) / ((u * u + v * v + c1) * (uu + vv + c2));
}
__global__ void ssim(unsigned width, unsigned height, unsigned depth, const float* __restrict__ a,
                     const float* __restrict__ b, int3 extents, float range, float norm, float k1, float k2,
                     float* __restrict__ similarity) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= height) return;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (z >= depth) return;
  similarity[x + y * width + z * width * height] = similarity_at<7>(x, y, z, a, b, extents, range, norm, k1, k2);
}
//---- C++
void reference(unsigned width, unsigned height, unsigned depth, const float* a, const float* b, const int* extents,
               float range, float norm, float k1, float k2, float* similarity) {
  const float each = 1.0f / 343, c1 = k1 * range * (k1 * range), c2 = k2 * range * (k2 * range);
#pragma omp parallel for collapse(2)
  for (int z = 0; z < (int)depth; ++z) {
    for (int y = 0; y < (int)height; ++y) {
      std::vector<float> sums(5 * width);
      float *sum_a = sums.data(), *sum_b = sum_a + width, *sum_aa = sum_b + width, *sum_bb = sum_aa + width;
      float* sum_ab = sum_bb + width;
      for (int k = 0; k < 7; ++k) {
        for (int j = 0; j < 7; ++j) {
          const int row = ((z + k) * extents[1] + y + j) * extents[0];
          for (int i = 0; i < 7; ++i) {
            for (int x = 0; x < (int)width; ++x) {
              float p = a[row + i + x], q = b[row + i + x];
              sum_a[x] += p;
              sum_b[x] += q;
              sum_aa[x] += p * p;
              sum_bb[x] += q * q;
              sum_ab[x] += p * q;
            }
          }
        }
      }
      for (int x = 0; x < (int)width; ++x) {
        float u = sum_a[x] * each, v = sum_b[x] * each;
        float uu = norm * (sum_aa[x] * each - u * u), vv = norm * (sum_bb[x] * each - v * v);
        float uv = norm * (sum_ab[x] * each - u * v);
        similarity[x + y * width + z * width * height] =
            (2 * u * v + c1) * (2 * uv + c2) / ((u * u + v * v + c1) * (uu + vv + c2));
      }
    }
  }
}
