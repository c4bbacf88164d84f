// SPDX-License-Identifier: MIT
// HeCBench, dwconv: depthwise convolution of pictures with 3 x 3 weights a channel, padded
/*
batch: 4 | 2
channels: 32 | 3
height: 112 | 17
width: 112 | 19
launch: ceil(batch * channels * height * width, 256) x 256
input: float[batch * channels * height * width] = uniform(-1, 1)
weights: float[channels * 9] = uniform(-1, 1)
bias: float[channels] = uniform(-1, 1)
output: float[batch * channels * height * width] -> 1e-5
batch: int
channels: int
height: int
width: int
side: int = 3
padding: int = 1
*/
__global__ void depthwise(const float* input, const float* weights, const float* bias, float* output, int batch,
                          int channels, int height, int width, int side, int padding) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= batch * channels * height * width) return;
  int x = index % width, y = index / width % height, plane = index / width / height, channel = plane % channels;
  float value = bias[channel];
  const float* weight = weights + channel * side * side;
  for (int j = 0; j < side; ++j) {
    for (int i = 0; i < side; ++i) {
      int row = y + j - padding, column = x + i - padding;
      if (row >= 0 && row < height && column >= 0 && column < width)
        value += *weight * input[(plane * height + row) * width + column];
      ++weight;
    }
  }
  output[index] = value;
}
//---- C++
void reference(const float* input, const float* weights, const float* bias, float* output, int batch, int channels,
               int height, int width, int side, int padding) {
#pragma omp parallel for
  for (int plane = 0; plane < batch * channels; ++plane) {
    int channel = plane % channels;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        float value = bias[channel];
        for (int j = 0; j < side; ++j) {
          for (int i = 0; i < side; ++i) {
            int row = y + j - padding, column = x + i - padding;
            if (row >= 0 && row < height && column >= 0 && column < width)
              value += weights[(channel * side + j) * side + i] * input[(plane * height + row) * width + column];
          }
        }
        output[(plane * height + y) * width + x] = value;
      }
    }
  }
}
