// SPDX-License-Identifier: MIT
// HeCBench, matrixT: transposes a matrix in tiles of 16 x 16, blocks along diagonals
/*
width: 2048 | 80
height: 2048 | 48
launch: width // 16, height // 16 x 16, 16
to: float[width * height] -> 0
from: float[width * height] = uniform(-1, 1)
width: int
height: int
*/
#include <cooperative_groups.h>
__global__ void transpose_diagonal(float* __restrict__ to, const float* __restrict__ from, int width, int height) {
  cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
  __shared__ float tile[16][17];
  int column, row;
  if (width == height) {
    row = blockIdx.x;
    column = (blockIdx.x + blockIdx.y) % gridDim.x;
  } else {
    int number = blockIdx.x + gridDim.x * blockIdx.y;
    row = number % gridDim.y;
    column = (number / gridDim.y + row) % gridDim.x;
  }
  int in = column * 16 + threadIdx.x + (row * 16 + threadIdx.y) * width;
  int out = row * 16 + threadIdx.x + (column * 16 + threadIdx.y) * height;
  for (int i = 0; i < 16; i += 16) tile[threadIdx.y + i][threadIdx.x] = from[in + i * width];
  cooperative_groups::sync(block);
  for (int i = 0; i < 16; i += 16) to[out + i * height] = tile[threadIdx.x][threadIdx.y + i];
}
//---- C++
void reference(float* to, const float* from, int width, int height) {
#pragma omp parallel for
  for (int column = 0; column < width; column += 16)
    for (int row = 0; row < height; row += 16)
      for (int x = column; x < column + 16; ++x)
        for (int y = row; y < row + 16; ++y) to[x * height + y] = from[y * width + x];
}
