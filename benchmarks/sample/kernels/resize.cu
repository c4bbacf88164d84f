// SPDX-License-Identifier: MIT
// HeCBench, resize: bilinear resizing of byte pictures, eight channels for each place
/*
channels: 16 | 16
in_height: 270 | 9
in_width: 480 | 14
out_height: 540 | 23
out_width: 720 | 31
area: out_height * out_width | out_height * out_width
launch: min(29184, ceil(channels // 8 * area, 256)) x 256
output: uchar[channels * area] -> 0.004, 0.01
output_size: ulong = channels * area
out_height: int
out_width: int
input: uchar[channels * in_height * in_width] = integers(0, 256)
in_height: int
in_width: int
step_y: float = in_height / out_height
step_x: float = in_width / out_width
*/
__global__ void resize_bilinear(unsigned char* __restrict__ output, size_t output_size, int out_height, int out_width,
                                const unsigned char* __restrict__ input, int in_height, int in_width, float step_y,
                                float step_x) {
  int in_area = in_height * in_width, out_area = out_height * out_width;
  size_t turns = output_size / out_area / 8 * out_area;
  for (int turn = blockIdx.x * blockDim.x + threadIdx.x; turn < turns; turn += blockDim.x * gridDim.x) {
    int channel = turn / out_area * 8, y = turn % out_area / out_width, x = turn % out_width;
    float in_x = fmaxf((x + 0.5f) * step_x - 0.5f, 0.0f), in_y = fmaxf((y + 0.5f) * step_y - 0.5f, 0.0f);
    int left = (int)in_x, right = min(left + 1, in_width - 1);
    int top = (int)in_y, upper = min(top, in_height - 1), lower = min(top + 1, in_height - 1);
    int first = channel * in_area + upper * in_width, second = channel * in_area + lower * in_width;
    int to = channel * out_area + y * out_width + x;
    float fx = in_x - left, fy = in_y - top;
#pragma unroll 1
    for (int c = 0; c < 8; ++c) {
      float a = input[first + left], b = input[first + right], d = input[second + left], e = input[second + right];
      output[to] = (unsigned char)(a + fy * (d - a) + fx * (b - a) + fy * fx * (e - b - d + a));
      first += in_area;
      second += in_area;
      to += out_area;
    }
  }
}
//---- C++
void reference(unsigned char* output, unsigned long output_size, int out_height, int out_width,
               const unsigned char* input, int in_height, int in_width, float step_y, float step_x) {
  const int channels = output_size / (out_height * out_width);
  std::vector<int> lefts(out_width), rights(out_width);
  std::vector<float> shares(out_width);
  for (int x = 0; x < out_width; ++x) {
    float in_x = std::max((x + 0.5f) * step_x - 0.5f, 0.0f);
    lefts[x] = (int)in_x;
    rights[x] = std::min(lefts[x] + 1, in_width - 1);
    shares[x] = in_x - lefts[x];
  }
#pragma omp parallel for
  for (int row = 0; row < channels * out_height; ++row) {
    const int y = row % out_height, channel = row / out_height;
    float in_y = std::max((y + 0.5f) * step_y - 0.5f, 0.0f);
    const int top = (int)in_y;
    const float fy = in_y - top;
    const unsigned char* picture = input + (size_t)channel * in_height * in_width;
    const unsigned char* first = picture + std::min(top, in_height - 1) * in_width;
    const unsigned char* second = picture + std::min(top + 1, in_height - 1) * in_width;
    unsigned char* to = output + (size_t)row * out_width;
    for (int x = 0; x < out_width; ++x) {
      float a = first[lefts[x]], b = first[rights[x]], d = second[lefts[x]], e = second[rights[x]], fx = shares[x];
      to[x] = (unsigned char)(a + fy * (d - a) + fx * (b - a) + fy * fx * (e - b - d + a));
    }
  }
}
