// SPDX-License-Identifier: MIT
// HeCBench, kmeans: the nearest of a few clusters for each point, features in rows of all points
/*
points: 100_000 | 1003
clusters: 5 | 5
features: 34 | 9
launch: ceil(points, 256) x 256
feature: float[features * points] = uniform(0, 1)
cluster: float[clusters * features] = uniform(0.2, 0.8)
member: int[points] -> 0, 0.001
clusters: int
features: int
points: int
*/
__global__ void find_membership(const float* __restrict__ feature, const float* __restrict__ cluster,
                                int* __restrict__ member, int clusters, int features, int points) {
  int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points) return;
  int nearest = 0;
  float least = 3.4e38f;
  for (int i = 0; i < clusters; ++i) {
    float distance = 0;
    for (int l = 0; l < features; ++l) {
      float difference = feature[l * points + point] - cluster[i * features + l];
      distance += difference * difference;
    }
    if (distance < least) {
      least = distance;
      nearest = i;
    }
  }
  member[point] = nearest;
}
//---- C++
void reference(const float* feature, const float* cluster, int* member, int clusters, int features, int points) {
  constexpr int most = 256;
#pragma omp parallel for
  for (int start = 0; start < points; start += most) {
    const int count = std::min(most, points - start);
    int nearest[most] = {};
    float least[most];
    std::fill_n(least, count, FLT_MAX);
    for (int i = 0; i < clusters; ++i) {
      float distance[most] = {};
      for (int l = 0; l < features; ++l) {
        const float* row = feature + l * points + start;
        const float middle = cluster[i * features + l];
        for (int p = 0; p < count; ++p) distance[p] += (row[p] - middle) * (row[p] - middle);
      }
      for (int p = 0; p < count; ++p) {
        nearest[p] = distance[p] < least[p] ? i : nearest[p];
        least[p] = std::min(distance[p], least[p]);
      }
    }
    std::copy_n(nearest, count, member + start);
  }
}
