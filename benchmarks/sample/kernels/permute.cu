// SPDX-License-Identifier: MIT
// HeCBench, permute: splits a tensor into queries, keys and values, each in order of heads
/*
batch: 4 | 2
times: 256 | 11
heads: 12 | 3
size: 64 | 10
n: batch * times * heads * size | batch * times * heads * size
launch: ceil(n, 256) x 256
q: float[n] -> 0
k: float[n] -> 0
v: float[n] -> 0
input: float[3 * n] = uniform(-1, 1)
batch: int
times: int
heads: int
size: int
*/
__global__ void permute(float* __restrict__ q, float* __restrict__ k, float* __restrict__ v, const float* input,
                        int batch, int times, int heads, int size) {
  int index = blockIdx.x * blockDim.x + threadIdx.x, channels = heads * size;
  if (index >= batch * channels * times) return;
  int b = index / (channels * times), rest = index % (channels * times);
  int head = rest / (times * size);
  rest = rest % (times * size);
  int time = rest / size, place = rest % size;
  int from = b * times * 3 * channels + time * 3 * channels + head * size + place;
  q[index] = input[from];
  k[index] = input[from + channels];
  v[index] = input[from + 2 * channels];
}
//---- C++
void reference(float* q, float* k, float* v, const float* input, int batch, int times, int heads, int size) {
  const int channels = heads * size;
#pragma omp parallel for
  for (int row = 0; row < batch * heads * times; ++row) {
    const int time = row % times, head = row / times % heads, b = row / times / heads;
    const float* from = input + (size_t)(b * times + time) * 3 * channels + head * size;
    std::copy_n(from, size, q + (size_t)row * size);
    std::copy_n(from + channels, size, k + (size_t)row * size);
    std::copy_n(from + 2 * channels, size, v + (size_t)row * size);
  }
}
