// SPDX-License-Identifier: MIT
// HeCBench, spm: two volumes of bytes sampled at the same places, of which one is transformed and moved by a small part
/*
x: 102 | 15
y: 100 | 12
z: 66 | 11
n: (x - 2) * (y - 2) * (z - 2) | (x - 2) * (y - 2) * (z - 2)
launch: 256 if n > 9999 else 3 x 128
matrix: float[16] = [0.98, 0.05, 0.01, 0, -0.05, 0.99, 0.02, 0, 0.01, -0.03, 0.97, 0, 0.5, 0.3, 0.2, 1]
n: int
g: uchar[x * y * z] = integers(0, 256)
f: uchar[x * y * z] = integers(0, 256)
g_extents: int(3) = [x, y, z]
f_extents: int(3) = [x, y, z]
f_values: uchar[n] -> 0.004, 1e-4
g_values: uchar[n] -> 0.004, 1e-4
inside: uchar[n] -> 0, 1e-4
*/
__device__ float sample(const int3 extents, const unsigned char values[], float x, float y, float z) {
  int ix = floorf(x), iy = floorf(y), iz = floorf(z);
  float x1 = x - ix, x2 = 1.0f - x1, y1 = y - iy, y2 = 1.0f - y1, z1 = z - iz, z2 = 1.0f - z1;
  const unsigned char* v = values + ix - 1 + extents.x * (iy - 1 + extents.y * (iz - 1));
  int a = v[0], b = v[1], c = v[extents.x], d = v[extents.x + 1];
  v += extents.x * extents.y;
  int e = v[0], f = v[1], g = v[extents.x], h = v[extents.x + 1];
  return ((a * x2 + b * x1) * y2 + (c * x2 + d * x1) * y1) * z2 +
         ((e * x2 + f * x1) * y2 + (g * x2 + h * x1) * y1) * z1;
}
__global__ void sample_both(const float* __restrict__ matrix, const int n, const unsigned char* __restrict__ g,
                            const unsigned char* __restrict__ f, const int3 g_extents, const int3 f_extents,
                            unsigned char* __restrict__ f_values, unsigned char* __restrict__ g_values,
                            bool* __restrict__ inside) {
  const float moves[] = {
    0.6180f, 0.2361f, 0.8541f, 0.4721f, 0.0902f, 0.7082f, 0.3262f, 0.9443f, 0.5623f, 0.1803f, 0.7984f, 0.4164f, 0.0344f,
    0.6525f, 0.2705f, 0.8885f, 0.5066f, 0.1246f, 0.7426f, 0.3607f, 0.9787f, 0.5967f, 0.2148f, 0.8328f, 0.4508f, 0.0689f,
    0.6869f, 0.3050f, 0.9230f, 0.5410f, 0.1591f, 0.7771f, 0.3951f, 0.0132f, 0.6312f, 0.2492f, 0.8673f, 0.4853f, 0.1033f,
    0.7214f, 0.3394f, 0.9574f, 0.5755f, 0.1935f, 0.8115f, 0.4296f, 0.0476f, 0.6656f, 0.2837f, 0.9017f, 0.5197f, 0.1378f,
    0.7558f, 0.3738f, 0.9919f, 0.6099f, 0.2279f, 0.8460f, 0.4640f, 0.0820f, 0.7001f, 0.3181f, 0.9361f, 0.5542f, 0.1722f,
    0.7902f, 0.4083f, 0.0263f, 0.6443f, 0.2624f, 0.8804f, 0.4984f, 0.1165f, 0.7345f, 0.3525f, 0.9706f, 0.5886f, 0.2067f,
    0.8247f, 0.4427f, 0.0608f, 0.6788f, 0.2968f, 0.9149f, 0.5329f, 0.1509f, 0.7690f, 0.3870f, 0.0050f, 0.6231f, 0.2411f,
    0.8591f, 0.4772f, 0.0952f, 0.7132f, 0.3313f, 0.9493f};
  int width = g_extents.x - 2, height = g_extents.y - 2;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    float row = floorf((float)i / width);
    float x = i % width + 1.0f + moves[i % 97];
    float y = (int)row % height + 1.0f + moves[i % 97];
    float z = row / height + 1.0f + moves[i % 97];
    float u = matrix[0] * x + matrix[4] * y + matrix[8] * z + matrix[12];
    float v = matrix[1] * x + matrix[5] * y + matrix[9] * z + matrix[13];
    float w = matrix[2] * x + matrix[6] * y + matrix[10] * z + matrix[14];
    if (w >= 1 && w < f_extents.z && v >= 1 && v < f_extents.y && u >= 1 && u < f_extents.x) {
      f_values[i] = floorf(sample(f_extents, f, u, v, w) + 0.5f);
      g_values[i] = floorf(sample(g_extents, g, x, y, z) + 0.5f);
      inside[i] = true;
    } else {
      f_values[i] = 0;
      g_values[i] = 0;
      inside[i] = false;
    }
  }
}
//---- C++
inline float sample(const int* extents, const unsigned char* values, float x, float y, float z) {
  int ix = std::floor(x), iy = std::floor(y), iz = std::floor(z);
  float x1 = x - ix, x2 = 1.0f - x1, y1 = y - iy, y2 = 1.0f - y1, z1 = z - iz, z2 = 1.0f - z1;
  const unsigned char* v = values + ix - 1 + extents[0] * (iy - 1 + extents[1] * (iz - 1));
  int a = v[0], b = v[1], c = v[extents[0]], d = v[extents[0] + 1];
  v += extents[0] * extents[1];
  int e = v[0], f = v[1], g = v[extents[0]], h = v[extents[0] + 1];
  return ((a * x2 + b * x1) * y2 + (c * x2 + d * x1) * y1) * z2 +
         ((e * x2 + f * x1) * y2 + (g * x2 + h * x1) * y1) * z1;
}
void reference(const float* matrix, int n, const unsigned char* g, const unsigned char* f, const int* g_extents,
               const int* f_extents, unsigned char* f_values, unsigned char* g_values, unsigned char* inside) {
  static const float moves[] = {
    0.6180f, 0.2361f, 0.8541f, 0.4721f, 0.0902f, 0.7082f, 0.3262f, 0.9443f, 0.5623f, 0.1803f, 0.7984f, 0.4164f, 0.0344f,
    0.6525f, 0.2705f, 0.8885f, 0.5066f, 0.1246f, 0.7426f, 0.3607f, 0.9787f, 0.5967f, 0.2148f, 0.8328f, 0.4508f, 0.0689f,
    0.6869f, 0.3050f, 0.9230f, 0.5410f, 0.1591f, 0.7771f, 0.3951f, 0.0132f, 0.6312f, 0.2492f, 0.8673f, 0.4853f, 0.1033f,
    0.7214f, 0.3394f, 0.9574f, 0.5755f, 0.1935f, 0.8115f, 0.4296f, 0.0476f, 0.6656f, 0.2837f, 0.9017f, 0.5197f, 0.1378f,
    0.7558f, 0.3738f, 0.9919f, 0.6099f, 0.2279f, 0.8460f, 0.4640f, 0.0820f, 0.7001f, 0.3181f, 0.9361f, 0.5542f, 0.1722f,
    0.7902f, 0.4083f, 0.0263f, 0.6443f, 0.2624f, 0.8804f, 0.4984f, 0.1165f, 0.7345f, 0.3525f, 0.9706f, 0.5886f, 0.2067f,
    0.8247f, 0.4427f, 0.0608f, 0.6788f, 0.2968f, 0.9149f, 0.5329f, 0.1509f, 0.7690f, 0.3870f, 0.0050f, 0.6231f, 0.2411f,
    0.8591f, 0.4772f, 0.0952f, 0.7132f, 0.3313f, 0.9493f};
  int width = g_extents[0] - 2, height = g_extents[1] - 2;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float row = std::floor((float)i / width), move = moves[i % 97];
    float x = i % width + 1.0f + move, y = (int)row % height + 1.0f + move, z = row / height + 1.0f + move;
    float u = matrix[0] * x + matrix[4] * y + matrix[8] * z + matrix[12];
    float v = matrix[1] * x + matrix[5] * y + matrix[9] * z + matrix[13];
    float w = matrix[2] * x + matrix[6] * y + matrix[10] * z + matrix[14];
    inside[i] = w >= 1 && w < f_extents[2] && v >= 1 && v < f_extents[1] && u >= 1 && u < f_extents[0];
    f_values[i] = inside[i] ? std::floor(sample(f_extents, f, u, v, w) + 0.5f) : 0;
    g_values[i] = inside[i] ? std::floor(sample(g_extents, g, x, y, z) + 0.5f) : 0;
  }
}
