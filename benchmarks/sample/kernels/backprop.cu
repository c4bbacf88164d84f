// SPDX-License-Identifier: MIT
// HeCBench, backprop: a layer's weighted inputs, summed in tiles of 16 x 16
/*
tiles: 16384 | 16
hidden: 16 | 16
launch: 1, tiles x 16, 16
values: float[16 * tiles + 1] = uniform(0, 1)
weights: float[(16 * tiles + 1) * (hidden + 1)] = uniform(-1, 1)
sums: float[tiles * hidden] -> 1e-5
hidden: int
tiles: int
*/
__global__ void layer_forward(const float* values, const float* weights, float* sums, int hidden, int tiles) {
  __shared__ float value[16];
  __shared__ float product[16][16];
  int tile = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
  if (x == 0) value[y] = values[tile * 16 + y + 1];
  __syncthreads();
  product[y][x] = weights[(tile * 16 + y + 1) * (hidden + 1) + x + 1] * value[y];
  __syncthreads();
  for (int step = 1; step < 16; step *= 2) {
    if (y % (2 * step) == 0) product[y][x] += product[y + step][x];
    __syncthreads();
  }
  if (y == 0) sums[tile * hidden + x] = product[0][x];
}
//---- C++
void reference(const float* values, const float* weights, float* sums, int hidden, int tiles) {
#pragma omp parallel for
  for (int tile = 0; tile < tiles; ++tile) {
    float sum[16] = {};
    for (int y = 0; y < 16; ++y) {
      int row = tile * 16 + y + 1;
      for (int x = 0; x < 16; ++x) sum[x] += weights[row * (hidden + 1) + x + 1] * values[row];
    }
    for (int x = 0; x < 16; ++x) sums[tile * hidden + x] = sum[x];
  }
}
