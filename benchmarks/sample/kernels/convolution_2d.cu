// SPDX-License-Identifier: MIT
// PolyBench, convolution-2d: a convolution with 3 x 3 weights from global memory
/*
height: 2048 | 41
width: 2048 | 67
launch: ceil(width, 32), ceil(height, 8) x 32, 8
height: int
width: int
a: float[height * width] = uniform(-1, 1)
b: float[height * width] -> 1e-6
*/
__global__ void convolve(int height, int width, float* a, float* b) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  float c11 = +0.2, c21 = +0.5, c31 = -0.8;
  float c12 = -0.3, c22 = +0.6, c32 = -0.9;
  float c13 = +0.4, c23 = +0.7, c33 = +0.10;
  if (i < height - 1 && j < width - 1 && i > 0 && j > 0) {
    b[i * width + j] = c11 * a[(i - 1) * width + j - 1] + c21 * a[(i - 1) * width + j] +
                       c31 * a[(i - 1) * width + j + 1] + c12 * a[i * width + j - 1] + c22 * a[i * width + j] +
                       c32 * a[i * width + j + 1] + c13 * a[(i + 1) * width + j - 1] + c23 * a[(i + 1) * width + j] +
                       c33 * a[(i + 1) * width + j + 1];
  }
}
//---- C++
void reference(int height, int width, const float* a, float* b) {
#pragma omp parallel for
  for (int i = 1; i < height - 1; ++i) {
    const float *row = a + i * width, *up = row - width, *down = row + width;
    float* out = b + i * width;
    for (int j = 1; j < width - 1; ++j)
      out[j] = 0.2f * up[j - 1] + 0.5f * up[j] - 0.8f * up[j + 1] - 0.3f * row[j - 1] + 0.6f * row[j] -
               0.9f * row[j + 1] + 0.4f * down[j - 1] + 0.7f * down[j] + 0.1f * down[j + 1];
  }
}
