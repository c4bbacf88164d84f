// SPDX-License-Identifier: MIT
// PyCUDA, game_of_life: a step of Conway's game on a torus
/*
blocks: 64 | 3
n: 16 * blocks | 16 * blocks
launch: blocks, blocks x 16, 16
cells: int[n * n] = integers(0, 2)
next: int[n * n] -> 0
n: int
*/
__global__ void step(int* cells, int* next, int) {
  int n = blockDim.x * gridDim.x;
  int i = threadIdx.x + blockDim.x * blockIdx.x, j = threadIdx.y + blockDim.y * blockIdx.y, at = j * n + i;
  int left, right, down, up;
  if (i == 0) left = n - 1;
  else left = i - 1;
  if (i == n - 1) right = 0;
  else right = i + 1;
  if (j == 0) down = n - 1;
  else down = j - 1;
  if (j == n - 1) up = 0;
  else up = j + 1;
  int count = cells[j * n + left] + cells[down * n + i] + cells[j * n + right] + cells[up * n + i] +
              cells[up * n + left] + cells[down * n + right] + cells[down * n + left] + cells[up * n + right];
  if (count < 2 || count > 3) next[at] = 0;
  if (count == 2) next[at] = cells[at];
  if (count == 3) next[at] = 1;
}
//---- C++
void reference(const int* cells, int* next, int n) {
#pragma omp parallel for
  for (int j = 0; j < n; ++j) {
    const int *row = cells + j * n, *up = cells + (j + 1) % n * n, *down = cells + (j + n - 1) % n * n;
    int* out = next + j * n;
    auto cell = [&](int left, int i, int right) {
      int count = row[left] + row[right] + up[left] + up[i] + up[right] + down[left] + down[i] + down[right];
      return count == 3 || (count == 2 && row[i]);
    };
    out[0] = cell(n - 1, 0, 1);
    for (int i = 1; i < n - 1; ++i) out[i] = cell(i - 1, i, i + 1);
    out[n - 1] = cell(n - 2, n - 1, 0);
  }
}
