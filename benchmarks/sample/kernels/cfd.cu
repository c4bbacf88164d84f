// SPDX-License-Identifier: MIT
// HeCBench, cfd: time steps of the cells of a flow from their conserved variables
/*
n: 2_000_000 | 1000
launch: ceil(n, 192) x 192
variables: float[5 * n] = uniform(1, 2)
areas: float[n] = uniform(0.1, 1)
steps: float[n] -> 1e-5
n: int
*/
__global__ void step_factor(const float* variables, const float* areas, float* steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float density = variables[i];
  float vx = variables[i + n] / density, vy = variables[i + 2 * n] / density, vz = variables[i + 3 * n] / density;
  float squares = vx * vx + vy * vy + vz * vz;
  float pressure = 0.4f * (variables[i + 4 * n] + 2 * density - 0.5f * 0.1f * density * squares);
  float sound = sqrtf(1.4f * pressure / density);
  steps[i] = 0.5f / (sqrtf(areas[i]) * (sqrtf(squares) + sound));
}
//---- C++
void reference(const float* variables, const float* areas, float* steps, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float density = variables[i];
    float vx = variables[i + n] / density, vy = variables[i + 2 * n] / density, vz = variables[i + 3 * n] / density;
    float squares = vx * vx + vy * vy + vz * vz;
    float pressure = 0.4f * (variables[i + 4 * n] + 2 * density - 0.5f * 0.1f * density * squares);
    float sound = std::sqrt(1.4f * pressure / density);
    steps[i] = 0.5f / (std::sqrt(areas[i]) * (std::sqrt(squares) + sound));
  }
}
