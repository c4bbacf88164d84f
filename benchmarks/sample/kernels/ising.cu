// SPDX-License-Identifier: MIT
// HeCBench, ising: flips the black spins of a periodic grid with a probability by their four neighbours
/*
rows: 2048 | 40
columns: 1024 | 35
launch: ceil(rows * columns, 128) x 128
lattice: char[rows * columns] = 2 * integers(0, 2) - 1 -> 0, 0.0001
others: char[rows * columns] = 2 * integers(0, 2) - 1
random: float[rows * columns] = uniform(0, 1)
inverse: float = 0.4406868
rows: long
columns: long
*/
__global__ void update_black(signed char* lattice, const signed char* __restrict__ others,
                             const float* __restrict__ random, float inverse, long long rows, long long columns) {
  long long thread = (long long)blockDim.x * blockIdx.x + threadIdx.x;
  int i = thread / columns, j = thread % columns;
  if (i >= rows || j >= columns) return;
  int below = i + 1 < rows ? i + 1 : 0, above = i - 1 >= 0 ? i - 1 : rows - 1;
  int right = j + 1 < columns ? j + 1 : 0, left = j - 1 >= 0 ? j - 1 : columns - 1;
  int side = i % 2 ? right : left;
  signed char sum = others[above * columns + j] + others[i * columns + j] + others[below * columns + j] +
                    others[i * columns + side];
  signed char own = lattice[i * columns + j];
  if (random[i * columns + j] < expf(-2.0f * inverse * sum * own)) lattice[i * columns + j] = -own;
}
//---- C++
void reference(char* lattice, const char* others, const float* random, float inverse, long rows, long columns) {
  // The sum of four neighbours times the own spin is -4, -2, 0, 2 or 4.
  float accepted[9];
  for (int product = -4; product <= 4; ++product) accepted[product + 4] = std::exp(-2.0f * inverse * product);
#pragma omp parallel for
  for (long i = 0; i < rows; ++i) {
    const char* here = others + i * columns;
    const char* above = others + (i > 0 ? i - 1 : rows - 1) * columns;
    const char* below = others + (i + 1 < rows ? i + 1 : 0) * columns;
    for (long j = 0; j < columns; ++j) {
      long side = i % 2 ? (j + 1 < columns ? j + 1 : 0) : (j > 0 ? j - 1 : columns - 1);
      int sum = above[j] + here[j] + below[j] + here[side], own = lattice[i * columns + j];
      lattice[i * columns + j] = random[i * columns + j] < accepted[sum * own + 4] ? -own : own;
    }
  }
}
