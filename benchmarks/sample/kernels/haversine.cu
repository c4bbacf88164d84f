// SPDX-License-Identifier: MIT
// HeCBench, haversine: great-circle distances of pairs of points
/*
n: 1_000_000 | 3001
launch: ceil(n, 256) x 256
points: double[4 * n] = uniform(-80, 80)
km: double[n] -> 1e-10
n: int
*/
__global__ void distances(const double2* points, double* km, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double radian = 0.017453292519943295;
  double2 p = points[2 * i], q = points[2 * i + 1];
  double lat = sin((q.x - p.x) * radian / 2), lon = sin((q.y - p.y) * radian / 2);
  double scale = cos(p.x * radian) * cos(q.x * radian);
  km[i] = 2 * 6371.0 * asin(sqrt(lat * lat + lon * lon * scale));
}
//---- C++
void reference(const double* points, double* km, int n) {
  const double radian = 0.017453292519943295;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double* p = points + 4 * i;
    double lat = std::sin((p[2] - p[0]) * radian / 2), lon = std::sin((p[3] - p[1]) * radian / 2);
    double scale = std::cos(p[0] * radian) * std::cos(p[2] * radian);
    km[i] = 2 * 6371.0 * std::asin(std::sqrt(lat * lat + lon * lon * scale));
  }
}
