// SPDX-License-Identifier: MIT
// HeCBench, simpleSpmv: product of a sparse matrix and a vector, eight lanes a row
/*
n: 400_000 | 1001
launch: ceil(n, 32) x 8, 32
n: ulong
starts: ulong[n + 1] = row_starts(2, 14)
columns: ulong[int(starts[n])] = integers(0, n)
values: float[int(starts[n])] = uniform(-1, 1)
x: float[n] = uniform(-1, 1)
y: float[n] -> 1e-5
*/
__global__ void rows_of_eight_lanes(const size_t n, const size_t* starts, const size_t* columns, const float* values,
                                    const float* x, float* y) {
  size_t row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= n) return;
  size_t stop = starts[row + 1];
  float sum = 0;
  for (size_t i = starts[row] + threadIdx.x; i < stop; i += 8) sum += values[i] * x[columns[i]];
#pragma unroll
  for (int step = 4; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step, 8);
  if (threadIdx.x == 0) y[row] = sum;
}
//---- C++
void reference(size_t n, const size_t* starts, const size_t* columns, const float* values, const float* x, float* y) {
#pragma omp parallel for
  for (size_t row = 0; row < n; ++row) {
    float sum = 0;
    for (size_t i = starts[row]; i < starts[row + 1]; ++i) sum += values[i] * x[columns[i]];
    y[row] = sum;
  }
}
