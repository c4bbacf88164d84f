// SPDX-License-Identifier: MIT
// SHOC, spmv: product of a sparse matrix and a vector read through the read-only cache, a warp a row
/*
n: 50_000 | 501
launch: ceil(n, 4) x 128
starts: int[n + 1] = row_starts(10, 70)
columns: int[int(starts[n])] = integers(0, n)
values: float[int(starts[n])] = uniform(-1, 1)
x: float[n] = uniform(-1, 1)
n: int
y: float[n] -> 1e-5
*/
__global__ void rows_of_warps(const int* __restrict__ starts, const int* __restrict__ columns,
                              const float* __restrict__ values, const float* __restrict__ x, const int n,
                              float* __restrict__ y) {
  int thread = threadIdx.x, lane = thread & (warpSize - 1);
  int row = blockIdx.x * (blockDim.x / warpSize) + thread / warpSize;
  __shared__ volatile float parts[128];
  if (row >= n) return;
  float sum = 0;
  for (int i = starts[row] + lane, stop = starts[row + 1]; i < stop; i += warpSize)
    sum += values[i] * __ldg(x + columns[i]);
  parts[thread] = sum;
  __syncwarp();
  if (lane < 16) parts[thread] += parts[thread + 16];
  __syncwarp();
  if (lane < 8) parts[thread] += parts[thread + 8];
  __syncwarp();
  if (lane < 4) parts[thread] += parts[thread + 4];
  __syncwarp();
  if (lane < 2) parts[thread] += parts[thread + 2];
  __syncwarp();
  if (lane < 1) parts[thread] += parts[thread + 1];
  if (lane == 0) y[row] = parts[thread];
}
//---- C++
void reference(const int* starts, const int* columns, const float* values, const float* x, int n, float* y) {
#pragma omp parallel for
  for (int row = 0; row < n; ++row) {
    float sum = 0;
    for (int i = starts[row]; i < starts[row + 1]; ++i) sum += values[i] * x[columns[i]];
    y[row] = sum;
  }
}
