// SPDX-License-Identifier: MIT
// HeCBench, ne: normals of the points of a depth picture from their valid neighbours
/*
width: 1280 | 53
height: 720 | 31
n: width * height | width * height
launch: ceil(n, 256) x 256
points: float[3 * n] = np.stack([arange(n) % width - width / 2, arange(n) // width - height / 2, np.where(integers(0, 3 * n).reshape(-1, 3)[:, 0] % 50 == 0, np.nan, 800 + 300 * (arange(n) % width // 40 % 2)) + uniform(0, 2).reshape(-1, 3)[:, 0]], 1)
normals: float[4 * n] -> 1e-4, 0.001
width: int
height: int
n: int
*/
__device__ float3 less(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ bool valid(const float3* points, int i, float z) {
  return !isnan(points[i].z) && fabsf(points[i].z - z) < 200.0f;
}
__device__ float4 normal_of(const float3* points, int i, int width, int height) {
  float3 point = points[i];
  if (isnan(point.z)) return make_float4(0, 0, 0, 0);
  int x = i % width, y = i / width;
  bool west = x > 1 && valid(points, i - 1, point.z), east = x < width - 1 && valid(points, i + 1, point.z);
  bool north = y > 1 && valid(points, i - width, point.z), south = y < height - 1 && valid(points, i + width, point.z);
  if ((!west && !east) || (!north && !south)) return make_float4(0, 0, 0, 1);
  float3 across = less(points[east ? i + 1 : i], points[west ? i - 1 : i]);
  float3 up = less(points[north ? i - width : i], points[south ? i + width : i]);
  float3 normal = make_float3(across.y * up.z - across.z * up.y, across.z * up.x - across.x * up.z,
                              across.x * up.y - across.y * up.x);
  bool curved = fabsf(across.z) > 0.04f || fabsf(up.z) > 0.04f || !west || !east || !north || !south;
  float scale = rsqrtf(dot(normal, normal));
  normal = make_float3(normal.x * scale, normal.y * scale, normal.z * scale);
  float sign = dot(point, normal) > 0 ? -1.0f : 1.0f;
  return make_float4(normal.x * sign, normal.y * sign, normal.z * sign, curved);
}
__global__ void normals(const float3* __restrict__ points, float4* __restrict__ normals, int width, int height, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) normals[i] = normal_of(points, i, width, height);
}
//---- C++
struct Point {
  float x, y, z;
};
inline Point less(Point a, Point b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline float dot(Point a, Point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline bool valid(const Point* points, int i, float z) { return std::fabs(points[i].z - z) < 200.0f; }
inline std::array<float, 4> normal_of(const Point* points, int i, int x, int y, int width, int height) {
  Point point = points[i];
  if (std::isnan(point.z)) return {0, 0, 0, 0};
  bool west = x > 1 && valid(points, i - 1, point.z), east = x < width - 1 && valid(points, i + 1, point.z);
  bool north = y > 1 && valid(points, i - width, point.z), south = y < height - 1 && valid(points, i + width, point.z);
  if ((!west && !east) || (!north && !south)) return {0, 0, 0, 1};
  Point across = less(points[east ? i + 1 : i], points[west ? i - 1 : i]);
  Point up = less(points[north ? i - width : i], points[south ? i + width : i]);
  Point normal = {across.y * up.z - across.z * up.y, across.z * up.x - across.x * up.z,
                  across.x * up.y - across.y * up.x};
  bool curved = std::fabs(across.z) > 0.04f || std::fabs(up.z) > 0.04f || !west || !east || !north || !south;
  float scale = 1.0f / std::sqrt(dot(normal, normal));
  if (dot(point, normal) > 0) scale = -scale;
  return {normal.x * scale, normal.y * scale, normal.z * scale, (float)curved};
}
void reference(const float* values, float* normals, int width, int height, int n) {
  const Point* points = (const Point*)values;
#pragma omp parallel for
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      std::array<float, 4> normal = normal_of(points, y * width + x, x, y, width, height);
      std::copy_n(normal.data(), 4, normals + 4 * (y * width + x));
    }
}
