// SPDX-License-Identifier: MIT
// Rodinia, hotspot3D: a time step of the temperatures of a chip of layers, a column a thread
/*
nx: 512 | 64
ny: 512 | 12
nz: 8 | 5
launch: nx // 64, ny // 4 x 64, 4
power: float[nx * ny * nz] = uniform(0, 1)
before: float[nx * ny * nz] = uniform(60, 90)
after: float[nx * ny * nz] -> 1e-5
step: float = 0.01
nx: int
ny: int
nz: int
east: float = 0.03
west: float = 0.03
north: float = 0.05
south: float = 0.05
top: float = 0.02
bottom: float = 0.02
centre: float = 0.8
*/
__global__ void step_temperatures(const float* power, const float* before, float* after, float step, int nx, int ny,
                                  int nz, float east, float west, float north, float south, float top, float bottom,
                                  float centre) {
  const float ambient = 80.0;
  int i = blockDim.x * blockIdx.x + threadIdx.x, j = blockDim.y * blockIdx.y + threadIdx.y;
  int c = i + j * nx, layer = nx * ny;
  int w = i == 0 ? c : c - 1, e = i == nx - 1 ? c : c + 1, n = j == 0 ? c : c - nx, s = j == ny - 1 ? c : c + nx;
  float below = before[c], here = below, above = before[c + layer];
  after[c] = centre * here + west * before[w] + east * before[e] + south * before[s] + north * before[n] +
             bottom * below + top * above + step * power[c] + top * ambient;
  c += layer;
  w += layer;
  e += layer;
  n += layer;
  s += layer;
  for (int k = 1; k < nz - 1; ++k) {
    below = here;
    here = above;
    above = before[c + layer];
    after[c] = centre * here + west * before[w] + east * before[e] + south * before[s] + north * before[n] +
               bottom * below + top * above + step * power[c] + top * ambient;
    c += layer;
    w += layer;
    e += layer;
    n += layer;
    s += layer;
  }
  below = here;
  here = above;
  after[c] = centre * here + west * before[w] + east * before[e] + south * before[s] + north * before[n] +
             bottom * below + top * above + step * power[c] + top * ambient;
}
//---- C++
void reference(const float* power, const float* before, float* after, float step, int nx, int ny, int nz, float east,
               float west, float north, float south, float top, float bottom, float centre) {
  const float ambient = 80.0;
#pragma omp parallel for collapse(2)
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      const long row = ((long)k * ny + j) * nx, layer = (long)nx * ny;
      const float *here = before + row, *below = k > 0 ? here - layer : here, *above = k < nz - 1 ? here + layer : here;
      const float *up = j > 0 ? here - nx : here, *down = j < ny - 1 ? here + nx : here;
      auto value = [&](int i, int w, int e) {
        return centre * here[i] + west * here[w] + east * here[e] + south * down[i] + north * up[i] +
               bottom * below[i] + top * above[i] + step * power[row + i] + top * ambient;
      };
      after[row] = value(0, 0, 1);
      for (int i = 1; i < nx - 1; ++i) after[row + i] = value(i, i - 1, i + 1);
      after[row + nx - 1] = value(nx - 1, nx - 2, nx - 1);
    }
  }
}
