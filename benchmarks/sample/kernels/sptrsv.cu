// SPDX-License-Identifier: MIT
// HeCBench, sptrsv: solves a sparse triangular system, where threads wait for flags of other rows: a thread or a warp a row
/*
n: 16384 | 256
short_rows: 12288 | 192
warps: short_rows // 32 + n - short_rows | short_rows // 32 + n - short_rows
launch: ceil(warps, 8) x 256
once: flags of finished rows stay set
starts: int[n + 1] = np.append(0, np.cumsum(1 + np.minimum(np.arange(n), np.where(np.arange(n) < short_rows, integers(0, 7)[1:], integers(20, 60)[1:]))))
columns: int[int(starts[n])] = np.where(np.append(np.diff(row := np.repeat(np.arange(n), np.diff(starts))), 1), row, row - 1 - (uniform(0, 1) * np.minimum(row, 5000)).astype(int))
values: double[int(starts[n])] = np.where(np.append(np.diff(row), 1), 2, uniform(-0.02, 0.02))
ready: int[n] -> 0
n: int
b: double[n] = uniform(-1, 1)
x: double[n] -> 1e-12
warp_rows: int[warps + 1] = np.append(np.arange(0, short_rows, 32), np.arange(short_rows, n + 1))
warps: int
*/
__device__ bool is_ready(const int* flag) {
  int value = *(const volatile int*)flag;
  __threadfence();
  return value == 1;
}
__device__ void set_ready(int* flag) {
  __threadfence();
  *(volatile int*)flag = 1;
}
__global__ void solve(const int* __restrict__ starts, const int* __restrict__ columns,
                      const double* __restrict__ values, int* __restrict__ ready, const int n,
                      const double* __restrict__ b, double* x, const int* __restrict__ warp_rows, const int warps) {
  __shared__ double sums[256];
  const int thread = threadIdx.x, warp = (blockIdx.x * blockDim.x + thread) / 32, lane = thread % 32;
  if (warp >= warps) return;
  if (warp_rows[warp + 1] > warp_rows[warp] + 1) {
    int row = warp_rows[warp] + lane;
    if (row >= n) return;
    double sum = 0;
    int j = starts[row], stop = starts[row + 1];
    while (j < stop) {
      int column = columns[j];
      if (is_ready(ready + column)) {
        sum += values[j] * x[column];
        column = columns[++j];
      }
      if (row == column) {
        x[row] = (b[row] - sum) / values[stop - 1];
        set_ready(ready + row);
        ++j;
      }
    }
    return;
  }
  int row = warp_rows[warp];
  if (row >= n) return;
  double sum = 0;
  for (int j = starts[row] + lane, last = starts[row + 1] - 1; j < last;) {
    int column = columns[j];
    if (is_ready(ready + column)) {
      sum += values[j] * x[column];
      j += 32;
    }
  }
  sums[thread] = sum;
  __syncwarp();
  for (int step = 16; step > 0; step /= 2) {
    if (lane < step) sums[thread] += sums[thread + step];
    __syncwarp();
  }
  if (lane == 0) {
    x[row] = (b[row] - sums[thread]) / values[starts[row + 1] - 1];
    set_ready(ready + row);
  }
}
//---- C++
void reference(const int* starts, const int* columns, const double* values, int* ready, int n, const double* b,
               double* x, const int* warp_rows, int warps) {
  // Row after row: so few elements are not worth the waiting of threads for each other.
  for (int row = 0; row < n; ++row) {
    int last = starts[row + 1] - 1;
    double sum = 0;
    for (int j = starts[row]; j < last; ++j) sum += values[j] * x[columns[j]];
    x[row] = (b[row] - sum) / values[last];
    ready[row] = 1;
  }
}
