// SPDX-License-Identifier: MIT
// HeCBench, sobel: lengths of the gradients of an image's channels, a pixel of four bytes a thread
/*
width: 1024 | 70
height: 768 | 37
launch: ceil(width, 16), ceil(height, 16) x 16, 16
image: uchar[4 * width * height] = integers(0, 256)
edges: uchar[4 * width * height] -> 0.004
width: uint
height: uint
*/
__device__ float4 to_float4(uchar4 a) { return make_float4(a.x, a.y, a.z, a.w); }
__device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ float4 operator-(float4 a, float4 b) { return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
__device__ float4 operator*(float4 a, float4 b) { return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }
__device__ unsigned char clamped(float x, float y) {
  float length = sqrtf(x * x + y * y) / 2.0f;
  return length > 255.0f ? 255.0f : length < 0.0f ? 0.0f : length;
}
__global__ void sobel(const uchar4* __restrict__ image, uchar4* __restrict__ edges, const unsigned width,
                      const unsigned height) {
  unsigned x = blockDim.x * blockIdx.x + threadIdx.x, y = blockDim.y * blockIdx.y + threadIdx.y;
  if (x < 1 || x >= width - 1 || y < 1 || y >= height - 1) return;
  int at = x + y * width;
  float4 a = to_float4(image[at - 1 - width]), b = to_float4(image[at - width]), c = to_float4(image[at + 1 - width]);
  float4 d = to_float4(image[at - 1]), f = to_float4(image[at + 1]);
  float4 g = to_float4(image[at - 1 + width]), h = to_float4(image[at + width]), i = to_float4(image[at + 1 + width]);
  const float4 two = make_float4(2.0f, 2.0f, 2.0f, 2.0f);
  float4 u = a + two * d + g - c - two * f - i, v = a - g + two * b - two * h + c - i;
  edges[at] = make_uchar4(clamped(u.x, v.x), clamped(u.y, v.y), clamped(u.z, v.z), clamped(u.w, v.w));
}
//---- C++
void reference(const unsigned char* image, unsigned char* edges, unsigned width, unsigned height) {
#pragma omp parallel for
  for (unsigned y = 1; y < height - 1; ++y) {
    const unsigned char *row = image + 4 * y * width, *up = row - 4 * width, *down = row + 4 * width;
    for (unsigned j = 4; j < 4 * (width - 1); ++j) {
      int u = up[j - 4] + 2 * row[j - 4] + down[j - 4] - up[j + 4] - 2 * row[j + 4] - down[j + 4];
      int v = up[j - 4] + 2 * up[j] + up[j + 4] - down[j - 4] - 2 * down[j] - down[j + 4];
      float length = std::sqrt(float(u * u + v * v)) / 2;
      edges[4 * y * width + j] = (unsigned char)std::min(length, 255.0f);
    }
  }
}
