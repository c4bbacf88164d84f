// SPDX-License-Identifier: MIT
// HeCBench, colorwheel: colours of a plane of vectors, three bytes a pixel
/*
size: 1536 | 70
launch: ceil(size, 16), ceil(size, 16) x 16, 16
wheel: uchar[55 * 3] = integers(0, 256)
pixels: uchar[size * size * 3] -> 0.005, 0.001
size: int
*/
__device__ void colour(const unsigned char* wheel, float fx, float fy, unsigned char* pixel) {
  float radius = sqrtf(fx * fx + fy * fy);
  float place = (atan2f(-fy, -fx) / 3.14159274f + 1.0f) / 2.0f * 54;
  int k0 = (int)place, k1 = (k0 + 1) % 55;
  float part = place - k0;
  for (int b = 0; b < 3; ++b) {
    float c = (1 - part) * (wheel[k0 * 3 + b] / 255.0f) + part * (wheel[k1 * 3 + b] / 255.0f);
    c = radius <= 1 ? 1 - radius * (1 - c) : c * 0.75f;
    pixel[2 - b] = (unsigned char)(int)(255.0f * c);
  }
}
__global__ void draw(const unsigned char* wheel, unsigned char* pixels, int size) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= size || y >= size || x == size / 2 || y == size / 2) return;
  float fx = (float)x / (size / 2) * 1.04f - 1.04f, fy = (float)y / (size / 2) * 1.04f - 1.04f;
  colour(wheel, fx, fy, pixels + (y * size + x) * 3);
}
//---- C++
void reference(const unsigned char* wheel, unsigned char* pixels, int size) {
#pragma omp parallel for
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      if (x == size / 2 || y == size / 2) continue;
      float fx = (float)x / (size / 2) * 1.04f - 1.04f, fy = (float)y / (size / 2) * 1.04f - 1.04f;
      unsigned char* pixel = pixels + (y * size + x) * 3;
      float radius = std::sqrt(fx * fx + fy * fy);
      float place = (std::atan2(-fy, -fx) / 3.14159274f + 1.0f) / 2.0f * 54;
      int k0 = (int)place, k1 = (k0 + 1) % 55;
      float part = place - k0;
      for (int b = 0; b < 3; ++b) {
        float c = (1 - part) * (wheel[k0 * 3 + b] / 255.0f) + part * (wheel[k1 * 3 + b] / 255.0f);
        c = radius <= 1 ? 1 - radius * (1 - c) : c * 0.75f;
        pixel[2 - b] = (unsigned char)(int)(255.0f * c);
      }
    }
  }
}
