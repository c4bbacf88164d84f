// SPDX-License-Identifier: MIT
// HeCBench, affine: rotates and shears a picture of 16-bit pixels, bilinear
/*
width: 4096 | 200
height: 2048 | 72
launch: ceil(width, 16), ceil(height, 16) x 16, 16
source: ushort[width * height] = integers(0, 60000)
target: ushort[width * height] -> 1e-3, 0.001
width: int
height: int
*/
__global__ void affine(const unsigned short* source, unsigned short* target, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  // Inverse of a rotation by 30 degrees in x alone, both scaled by a half.
  const float angle = 0.52359878f;
  float a = 0.5f * cosf(angle), c = 0.5f * sinf(angle), d = 0.5f;
  float determinant = a * d;
  float dx = x - 0.5f * width, dy = y - 0.5f * height;
  float u = (d * dx) / determinant + 0.5f * width;
  float v = (a * dy - c * dx) / determinant + 0.5f * height;
  int column = (int)floorf(u), row = (int)floorf(v);
  float right = u - column, below = v - row;
  unsigned short pixel = 50000;
  if (column >= 0 && column + 1 < width && row >= 0 && row + 1 < height) {
    const unsigned short* at = source + row * width + column;
    float upper = (1 - right) * at[0] + right * at[1];
    float lower = (1 - right) * at[width] + right * at[width + 1];
    pixel = (unsigned short)((1 - below) * upper + below * lower);
  } else if ((column + 1 == width && row >= 0 && row < height) || (row + 1 == height && column >= 0 && column < width)) {
    pixel = source[row * width + column];
  }
  target[y * width + x] = pixel;
}
//---- C++
void reference(const unsigned short* source, unsigned short* target, int width, int height) {
  const float angle = 0.52359878f;
  const float a = 0.5f * cosf(angle), c = 0.5f * sinf(angle), d = 0.5f, determinant = a * d;
#pragma omp parallel for
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      float dx = x - 0.5f * width, dy = y - 0.5f * height;
      float u = (d * dx) / determinant + 0.5f * width;
      float v = (a * dy - c * dx) / determinant + 0.5f * height;
      int column = (int)std::floor(u), row = (int)std::floor(v);
      float right = u - column, below = v - row;
      unsigned short pixel = 50000;
      if (column >= 0 && column + 1 < width && row >= 0 && row + 1 < height) {
        const unsigned short* at = source + row * width + column;
        float upper = (1 - right) * at[0] + right * at[1];
        float lower = (1 - right) * at[width] + right * at[width + 1];
        pixel = (unsigned short)((1 - below) * upper + below * lower);
      } else if ((column + 1 == width && row >= 0 && row < height) ||
                 (row + 1 == height && column >= 0 && column < width)) {
        pixel = source[row * width + column];
      }
      target[y * width + x] = pixel;
    }
  }
}
