// SPDX-License-Identifier: MIT
// HeCBench, amgmk: a relaxation sweep over a sparse matrix, a thread a row
/*
n: 400_000 | 1003
launch: ceil(n, 256) x 256
starts: int[n + 1] = row_starts(8, 27)
columns: int[starts[n]] = integers(0, n)
values: double[starts[n]] = uniform(0.5, 1.5)
old: double[n] = uniform(-1, 1)
right: double[n] = uniform(-1, 1)
next: double[n] -> 1e-12
n: int
*/
__global__ void relax(const int* starts, const int* columns, const double* values, const double* old,
                      const double* right, double* next, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  int first = starts[row];
  double diagonal = values[first];
  if (diagonal != 0) {
    double rest = right[row];
    for (int k = first + 1; k < starts[row + 1]; ++k) rest -= values[k] * old[columns[k]];
    next[row] = rest / diagonal;
  }
}
//---- C++
void reference(const int* starts, const int* columns, const double* values, const double* old, const double* right,
               double* next, int n) {
#pragma omp parallel for
  for (int row = 0; row < n; ++row) {
    int first = starts[row], end = starts[row + 1];
    double diagonal = values[first];
    if (diagonal == 0) continue;
    double rest = right[row];
    for (int k = first + 1; k < end; ++k) rest -= values[k] * old[columns[k]];
    next[row] = rest / diagonal;
  }
}
