// SPDX-License-Identifier: MIT
// Rodinia, nn: distances of places from one
/*
n: 4_000_000 | 1001
launch: 125 if n > 9999 else 2, ceil(n, 32000) if n > 9999 else 2 x 256
places: float[2 * n] = uniform(0, 90)
distances: float[n] -> 1e-6
n: int
latitude: float = 30
longitude: float = 60
*/
struct Place {
  float latitude, longitude;
};
__global__ void distances_from(const Place* places, float* distances, int n, float latitude, float longitude) {
  int i = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
  const Place* place = places + i;
  if (i < n) {
    float* distance = distances + i;
    *distance = (float)sqrt((latitude - place->latitude) * (latitude - place->latitude) +
                            (longitude - place->longitude) * (longitude - place->longitude));
  }
}
//---- C++
void reference(const float* places, float* distances, int n, float latitude, float longitude) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float x = latitude - places[2 * i], y = longitude - places[2 * i + 1];
    distances[i] = std::sqrt(x * x + y * y);
  }
}
