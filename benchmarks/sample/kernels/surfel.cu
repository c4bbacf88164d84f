// SPDX-License-Identifier: MIT
// HeCBench, surfel: depths of discs that rays meet, 256 discs at a time in shared memory
/*
n: 1000 | 300
width: 160 | 37
height: 120 | 21
launch: ceil(width, 16), ceil(height, 16) x 16, 16
discs: float[7 * n] = (uniform(0, 1).reshape(n, 7) * [10, 8, 4, 2, 2, 0.2, 0.06] + [-5, -4, 1, -1, -1, 0.9, 0.02])
n: int
focus: float = 100
width: int
height: int
depths: float[width * height] -> 1e-5, 0.002
*/
template <typename T, int tile>
__device__ void render(const T* discs, int n, T focus, int width, int height, T* depths) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  T ray_x = T(x) - (width - 1) * T(0.5), ray_y = T(y) - (height - 1) * T(0.5), ray_z = focus, least = 1e20;
  __shared__ T shared[tile * 7];
  for (int base = 0; base < n; base += tile) {
    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    if (thread < tile && base + thread < n) {
#pragma unroll
      for (int k = 0; k < 7; ++k) shared[thread * 7 + k] = discs[(base + thread) * 7 + k];
    }
    __syncthreads();
    int count = min(tile, n - base);
    for (int i = 0; i < count; ++i) {
      T px = shared[i * 7], py = shared[i * 7 + 1], pz = shared[i * 7 + 2];
      T nx = shared[i * 7 + 3], ny = shared[i * 7 + 4], nz = shared[i * 7 + 5], square = shared[i * 7 + 6];
      T along = (px * nx + py * ny + pz * nz) / (ray_x * nx + ray_y * ny + ray_z * nz);
      T depth = ray_z * along;
      T dx = ray_x * along - px, dy = ray_y * along - py, dz = ray_z * along - pz;
      if (dx * dx + dy * dy + dz * dz < square && depth < least) least = depth;
    }
    __syncthreads();
  }
  if (x < width && y < height) depths[y * width + x] = least > T(100) ? T(0) : least;
}
__global__ void render_discs(const float* __restrict__ discs, int n, float focus, int width, int height,
                             float* __restrict__ depths) {
  render<float, 256>(discs, n, focus, width, height, depths);
}
//---- C++
void reference(const float* discs, int n, float focus, int width, int height, float* depths) {
#pragma omp parallel for
  for (int y = 0; y < height; ++y) {
    std::vector<float> least(width, 1e20f);
    float ray_y = y - (height - 1) * 0.5f;
    for (int i = 0; i < n; ++i) {
      const float *p = discs + 7 * i, *normal = p + 3;
      float square = p[6], from_start = p[0] * normal[0] + p[1] * normal[1] + p[2] * normal[2];
      for (int x = 0; x < width; ++x) {
        float ray_x = x - (width - 1) * 0.5f;
        float along = from_start / (ray_x * normal[0] + ray_y * normal[1] + focus * normal[2]);
        float dx = ray_x * along - p[0], dy = ray_y * along - p[1], dz = focus * along - p[2];
        float depth = dx * dx + dy * dy + dz * dz < square ? focus * along : 1e20f;
        least[x] = depth < least[x] ? depth : least[x];
      }
    }
    for (int x = 0; x < width; ++x) depths[y * width + x] = least[x] > 100 ? 0 : least[x];
  }
}
