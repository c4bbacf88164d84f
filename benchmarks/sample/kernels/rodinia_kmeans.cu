// SPDX-License-Identifier: MIT
// Rodinia, kmeans: the nearest of a few centres of each point, whose coordinates are rows, through the read-only cache
/*
points: 100_000 | 1001
features: 34 | 11
clusters: 5 | 3
side: 20 | 2
launch: side, side x 256
values: float[features * points] = uniform(0, 1)
features: int
points: int
clusters: int
members: int[points] -> 0, 1e-4
centres: float[clusters * features] = uniform(0, 1)
*/
__global__ void nearest_centres(const float* values, int features, int points, int clusters, int* members,
                                const float* centres) {
  unsigned block = gridDim.x * blockIdx.y + blockIdx.x;
  unsigned point = block * blockDim.x * blockDim.y + threadIdx.x;
  int nearest = -1;
  if (point < points) {
    float least = 3.402823466e38f;
    for (int i = 0; i < clusters; ++i) {
      float distance = 0;
      for (int j = 0; j < features; ++j) {
        float difference = __ldg(values + point + j * points) - centres[i * features + j];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        nearest = i;
      }
    }
  }
  if (point < points) members[point] = nearest;
}
//---- C++
void reference(const float* values, int features, int points, int clusters, int* members, const float* centres) {
#pragma omp parallel for
  for (int start = 0; start < points; start += 256) {
    int count = std::min(256, points - start);
    float least[256];
    std::fill_n(least, count, FLT_MAX);
    for (int i = 0; i < clusters; ++i) {
      float distances[256] = {};
      for (int j = 0; j < features; ++j) {
        for (int p = 0; p < count; ++p) {
          float difference = values[start + p + j * points] - centres[i * features + j];
          distances[p] += difference * difference;
        }
      }
      for (int p = 0; p < count; ++p) {
        bool nearer = distances[p] < least[p];
        least[p] = nearer ? distances[p] : least[p];
        members[start + p] = nearer ? i : members[start + p];
      }
    }
  }
}
