// SPDX-License-Identifier: MIT
// Rodinia, lud: the blocks beside and below a factorised one of 16 x 16, a pair of them a block
/*
n: 2048 | 80
offset: 32 | 16
launch: (n - offset) // 16 - 1 x 32
once: solves anew what is solved
m: float[n * n] = uniform(-1, 1).reshape(n, n) + 20 * np.eye(n) -> 1e-5
n: int
offset: int
*/
__global__ void solve_perimeter(float* m, int n, int offset) {
  __shared__ float diagonal[16][16], row[16][16], column[16][16];
  int other = offset + (blockIdx.x + 1) * 16, x = threadIdx.x % 16;
  if (threadIdx.x < 16) {
    for (int i = 0; i < 8; ++i) diagonal[i][x] = m[(offset + i) * n + offset + x];
    for (int i = 0; i < 16; ++i) row[i][x] = m[(offset + i) * n + other + x];
  } else {
    for (int i = 8; i < 16; ++i) diagonal[i][x] = m[(offset + i) * n + offset + x];
    for (int i = 0; i < 16; ++i) column[i][x] = m[(other + i) * n + offset + x];
  }
  __syncthreads();
  if (threadIdx.x < 16) {
    for (int i = 1; i < 16; ++i)
      for (int j = 0; j < i; ++j) row[i][x] -= diagonal[i][j] * row[j][x];
  } else {
    for (int i = 0; i < 16; ++i) {
      for (int j = 0; j < i; ++j) column[x][i] -= column[x][j] * diagonal[j][i];
      column[x][i] /= diagonal[i][i];
    }
  }
  __syncthreads();
  if (threadIdx.x < 16)
    for (int i = 1; i < 16; ++i) m[(offset + i) * n + other + x] = row[i][x];
  else
    for (int i = 0; i < 16; ++i) m[(other + i) * n + offset + x] = column[i][x];
}
//---- C++
void reference(float* m, int n, int offset) {
  float diagonal[16][16];
  for (int i = 0; i < 16; ++i) std::copy_n(m + (offset + i) * n + offset, 16, diagonal[i]);
#pragma omp parallel for
  for (int other = offset + 16; other < n; other += 16) {
    float row[16][16];
    for (int i = 0; i < 16; ++i) std::copy_n(m + (offset + i) * n + other, 16, row[i]);
    for (int i = 1; i < 16; ++i) {
      for (int j = 0; j < i; ++j)
        for (int x = 0; x < 16; ++x) row[i][x] -= diagonal[i][j] * row[j][x];
      std::copy_n(row[i], 16, m + (offset + i) * n + other);
    }
    for (int y = 0; y < 16; ++y) {
      float* column = m + (other + y) * n + offset;
      for (int i = 0; i < 16; ++i) {
        float value = column[i];
        for (int j = 0; j < i; ++j) value -= column[j] * diagonal[j][i];
        column[i] = value / diagonal[i][i];
      }
    }
  }
}
