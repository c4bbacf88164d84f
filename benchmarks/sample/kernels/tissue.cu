// SPDX-License-Identifier: MIT
// HeCBench, tissue: concentrations of points by the distances of all points, four threads a point
/*
n: 2744 | 125
most: 32768 | 32768
threads: 4 | 4
launch: ceil(threads * n, 256) x 256
places: int[3 * n] = integers(0, most // 3)
g: float[2 * most] = uniform(0, 1)
g_bar: float[2 * most] = uniform(0, 1)
sums: float[n] -> 1e-5
before: float[n] = uniform(0, 1)
sources: float[n] = uniform(0, 1)
n: int
most: int
threads: int
solute: int = 2
*/
__global__ void concentrations(const int* __restrict__ places, const float* __restrict__ g,
                               const float* __restrict__ g_bar, float* __restrict__ sums,
                               const float* __restrict__ before, const float* __restrict__ sources, int n, int most,
                               int threads, int solute) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= threads * n) return;
  const int point = i / threads, part = i % threads;
  int x = places[point], y = places[point + n], z = places[point + 2 * n];
  float sum = 0;
  for (int other = part; other < n; other += threads) {
    int at = abs(places[other] - x) + abs(places[other + n] - y) + abs(places[other + 2 * n] - z);
    at += (solute - 1) * most;
    sum += g[at] * before[other] + g_bar[at] * sources[other];
  }
  if (part == 0) sums[point] = sum;
  for (int step = 1; step < threads; ++step) {
    __syncwarp();
    if (part == step) sums[point] += sum;
  }
}
//---- C++
void reference(const int* places, const float* g, const float* g_bar, float* sums, const float* before,
               const float* sources, int n, int most, int threads, int solute) {
  g += (solute - 1) * most;
  g_bar += (solute - 1) * most;
#pragma omp parallel for
  for (int point = 0; point < n; ++point) {
    int x = places[point], y = places[point + n], z = places[point + 2 * n];
    float sum = 0;
    for (int other = 0; other < n; ++other) {
      int at = std::abs(places[other] - x) + std::abs(places[other + n] - y) + std::abs(places[other + 2 * n] - z);
      sum += g[at] * before[other] + g_bar[at] * sources[other];
    }
    sums[point] = sum;
  }
}
