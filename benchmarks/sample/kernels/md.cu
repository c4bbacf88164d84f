// SPDX-License-Identifier: MIT
// HeCBench, md: Lennard-Jones forces of 128 listed neighbours each
/*
n: 24_576 | 301
neighbours_each: 128 | 40
launch: ceil(n, 256) x 256
position: float[4 * n] = np.stack([arange(n) % 4, arange(n) // 4 % 4, arange(n) // 16, 0 * arange(n)], 1) + 0.3 * np.floor(uniform(0, 256)).reshape(-1, 4) / 256
force: float[4 * n] -> 1e-5
list: int[n * neighbours_each] = neighbours(n, neighbours_each, 80).T
n: int
neighbours_each: int
first: float = 1.5
second: float = 2
cutoff: float = 16
*/
__global__ void md(const float4* __restrict__ position, float4* __restrict__ force, const int* __restrict__ list, int n,
                   int neighbours, float first, float second, float cutoff) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 own = position[i], sum = make_float4(0, 0, 0, 0);
  int j = 0;
  while (j < neighbours) {
    float4 other = position[list[j * n + i]];
    float x = own.x - other.x, y = own.y - other.y, z = own.z - other.z;
    float square = x * x + y * y + z * z;
    if (square > 0 && square < cutoff) {
      float inverse = 1.0f / square, sixth = inverse * inverse * inverse;
      float factor = inverse * sixth * (first * sixth - second);
      sum.x += x * factor;
      sum.y += y * factor;
      sum.z += z * factor;
    }
    ++j;
  }
  force[i] = sum;
}
//---- C++
void reference(const float* position, float* force, const int* list, int n, int neighbours, float first, float second,
               float cutoff) {
  constexpr int most = 64;
#pragma omp parallel for
  for (int start = 0; start < n; start += most) {
    const int count = std::min(most, n - start);
    const float* own = position + 4 * start;
    float sum_x[most] = {}, sum_y[most] = {}, sum_z[most] = {};
    for (int j = 0; j < neighbours; ++j) {
      const int* others = list + (size_t)j * n + start;
#pragma omp simd
      for (int i = 0; i < count; ++i) {
        int other = 4 * others[i];
        float x = own[4 * i] - position[other], y = own[4 * i + 1] - position[other + 1];
        float z = own[4 * i + 2] - position[other + 2];
        float square = x * x + y * y + z * z;
        bool near = square > 0 && square < cutoff;
        float inverse = 1.0f / (near ? square : 1.0f), sixth = inverse * inverse * inverse;
        float factor = near ? inverse * sixth * (first * sixth - second) : 0.0f;
        sum_x[i] += x * factor;
        sum_y[i] += y * factor;
        sum_z[i] += z * factor;
      }
    }
    for (int i = 0; i < count; ++i) {
      float* to = force + 4 * (start + i);
      to[0] = sum_x[i];
      to[1] = sum_y[i];
      to[2] = sum_z[i];
      to[3] = 0;
    }
  }
}
