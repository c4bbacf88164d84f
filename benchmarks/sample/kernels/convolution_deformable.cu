// SPDX-License-Identifier: MIT
// HeCBench, convolutionDeformable: gradients of the offsets and masks of a deformable 3 x 3 convolution, bilinear
/*
batch: 2 | 2
channels: 16 | 3
height: 56 | 9
width: 56 | 11
launch: ceil(batch * 18 * height * width, 512) x 512
columns: float[9 * channels * batch * height * width] = uniform(-1, 1)
image: float[batch * channels * height * width] = uniform(-1, 1)
offsets: float[18 * batch * height * width] = uniform(-2, 2)
masks: float[9 * batch * height * width] = uniform(0, 1)
grad_offsets: float[18 * batch * height * width] -> 1e-5
grad_masks: float[9 * batch * height * width] -> 1e-5
batch: int
channels: int
height: int
width: int
kernel: int = 3
pad: int = 1
*/
__device__ float pixel(const float* image, int height, int width, int y, int x) {
  return y >= 0 && x >= 0 && y < height && x < width ? image[y * width + x] : 0.0f;
}
__device__ float bilinear(const float* image, int height, int width, float y, float x) {
  int top = (int)floorf(y), left = (int)floorf(x);
  float below = y - top, right = x - left;
  return (1 - below) * (1 - right) * pixel(image, height, width, top, left) +
         (1 - below) * right * pixel(image, height, width, top, left + 1) +
         below * (1 - right) * pixel(image, height, width, top + 1, left) +
         below * right * pixel(image, height, width, top + 1, left + 1);
}
__device__ float slope(const float* image, int height, int width, float y, float x, int direction) {
  int top = (int)floorf(y), left = (int)floorf(x);
  float below = y - top, right = x - left;
  float a = pixel(image, height, width, top, left), b = pixel(image, height, width, top, left + 1);
  float c = pixel(image, height, width, top + 1, left), d = pixel(image, height, width, top + 1, left + 1);
  if (direction == 0) return (1 - right) * (c - a) + right * (d - b);
  return (1 - below) * (b - a) + below * (d - c);
}
__global__ void offset_gradients(const float* columns, const float* image, const float* offsets, const float* masks,
                                 float* grad_offsets, float* grad_masks, int batch, int channels, int height, int width,
                                 int kernel, int pad) {
  int taps = kernel * kernel, area = height * width, n = batch * 2 * taps * area;
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < n; index += blockDim.x * gridDim.x) {
    int w = index % width, h = index / width % height, part = index / area % (2 * taps), b = index / area / (2 * taps);
    const float* plane = image + b * channels * area;
    float value = 0, mask_value = 0;
    for (int column = part / 2; column < channels * taps; column += taps) {
      int place = ((column * batch + b) * height + h) * width + w;
      int j = column % kernel, i = column / kernel % kernel, tap = i * kernel + j;
      float y = h - pad + i + offsets[(b * 2 * taps + 2 * tap) * area + h * width + w];
      float x = w - pad + j + offsets[(b * 2 * taps + 2 * tap + 1) * area + h * width + w];
      if (y > -1 && x > -1 && y < height && x < width) {
        float mask = masks[(b * taps + tap) * area + h * width + w];
        mask_value += columns[place] * bilinear(plane, height, width, y, x);
        value += slope(plane, height, width, y, x, part % 2) * columns[place] * mask;
      }
      plane += area;
    }
    grad_offsets[index] = value;
    if (part % 2 == 0) grad_masks[(b * taps + part / 2) * area + h * width + w] = mask_value;
  }
}
//---- C++
inline float pixel(const float* image, int height, int width, int y, int x) {
  return y >= 0 && x >= 0 && y < height && x < width ? image[y * width + x] : 0.0f;
}
void reference(const float* columns, const float* image, const float* offsets, const float* masks, float* grad_offsets,
               float* grad_masks, int batch, int channels, int height, int width, int kernel, int pad) {
  const int taps = kernel * kernel, area = height * width;
#pragma omp parallel for
  for (int row = 0; row < batch * taps * height; ++row) {
    const int h = row % height, tap = row / height % taps, b = row / height / taps;
    const int i = tap / kernel, j = tap % kernel;
    const float* offset = offsets + (b * 2 * taps + 2 * tap) * area + h * width;
    const float* mask = masks + (b * taps + tap) * area + h * width;
    float* grad_offset = grad_offsets + (b * 2 * taps + 2 * tap) * area + h * width;
    float* grad_mask = grad_masks + (b * taps + tap) * area + h * width;
    for (int w = 0; w < width; ++w) {
      float y = h - pad + i + offset[w], x = w - pad + j + offset[area + w];
      float by_y = 0, by_x = 0, by_mask = 0;
      if (y > -1 && x > -1 && y < height && x < width) {
        int top = (int)std::floor(y), left = (int)std::floor(x);
        float below = y - top, right = x - left;
        for (int channel = 0; channel < channels; ++channel) {
          const float* plane = image + (b * channels + channel) * area;
          float gradient = columns[(((channel * taps + tap) * batch + b) * height + h) * width + w];
          float p = pixel(plane, height, width, top, left), q = pixel(plane, height, width, top, left + 1);
          float r = pixel(plane, height, width, top + 1, left), s = pixel(plane, height, width, top + 1, left + 1);
          by_y += ((1 - right) * (r - p) + right * (s - q)) * gradient;
          by_x += ((1 - below) * (q - p) + below * (s - r)) * gradient;
          by_mask += ((1 - below) * ((1 - right) * p + right * q) + below * ((1 - right) * r + right * s)) * gradient;
        }
      }
      grad_offset[w] = by_y * mask[w];
      grad_offset[area + w] = by_x * mask[w];
      grad_mask[w] = by_mask;
    }
  }
}
