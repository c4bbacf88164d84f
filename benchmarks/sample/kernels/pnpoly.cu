// SPDX-License-Identifier: MIT
// HeCBench, pnpoly: which points are in a polygon of 600 corners, eight points a thread
/*
n: 131_072 | 5003
corners: 600 | 35
launch: ceil(n, 2048) x 256
inside: int[n] -> 0, 0.001
point: float[2 * n] = uniform(-1, 1)
radius: float[corners] = uniform(0.4, 1)
corner: float[2 * corners] = np.stack([np.cos(arange(corners) * 2 * math.pi / corners) * radius, np.sin(arange(corners) * 2 * math.pi / corners) * radius], 1)
n: int
corners: int
*/
__device__ bool between(float a, float b, float c) { return (b > a) != (c > a); }
__global__ void points_in_polygon(int* __restrict__ inside, const float2* __restrict__ point, const float* radius,
                                  const float2* __restrict__ corner, int n, int corners) {
  const int each = 8;
  int i = blockIdx.x * 256 * each + threadIdx.x;
  if (i >= n) return;
  int crossed[each];
  float2 own[each];
#pragma unroll
  for (int t = 0; t < each; ++t) {
    crossed[t] = 0;
    if (i + 256 * t < n) own[t] = point[i + 256 * t];
  }
  int before = corners - 1;
  for (int j = 0; j < corners; before = j++) {
    float2 a = corner[j], b = corner[before];
    float slope = (b.x - a.x) / (b.y - a.y);
#pragma unroll
    for (int t = 0; t < each; ++t)
      if (between(own[t].y, a.y, b.y) && own[t].x < slope * (own[t].y - a.y) + a.x) crossed[t] = !crossed[t];
  }
#pragma unroll
  for (int t = 0; t < each; ++t)
    if (i + 256 * t < n) inside[i + 256 * t] = crossed[t];
}
//---- C++
void reference(int* inside, const float* point, const float* radius, const float* corner, int n, int corners) {
  constexpr int most = 512;
#pragma omp parallel for
  for (int start = 0; start < n; start += most) {
    const int count = std::min(most, n - start);
    float x[most], y[most];
    int crossed[most] = {};
    for (int i = 0; i < count; ++i) {
      x[i] = point[2 * (start + i)];
      y[i] = point[2 * (start + i) + 1];
    }
    for (int j = 0, before = corners - 1; j < corners; before = j++) {
      const float ax = corner[2 * j], ay = corner[2 * j + 1], bx = corner[2 * before], by = corner[2 * before + 1];
      const float slope = (bx - ax) / (by - ay);
      for (int i = 0; i < count; ++i)
        crossed[i] ^= ((by > y[i]) != (ay > y[i])) & (x[i] < slope * (y[i] - ay) + ax);
    }
    std::copy_n(crossed, count, inside + start);
  }
}
