// SPDX-License-Identifier: MIT
// HeCBench, romberg: integrates exp(x) sin(x) with 65536 places a block, and extrapolates 17 sums
/*
blocks: 16 | 3
launch: blocks x 64
shared: 17 * 64 * 8
low: double = 0
high: double = 15
result: double[blocks] -> 1e-9
blocks: int
*/
__device__ double f(double x) { return exp(x) * sin(x); }
__device__ unsigned first_set_bit(int n) { return (unsigned)(log2((float)(n & -n)) + 1); }
__global__ void romberg(double low, double high, double* result, int blocks) {
  const int rows = 17, places = 1 << (rows - 1);
  extern __shared__ double shared[];
  double width = (high - low) / gridDim.x, sums[rows];
  high = low + (blockIdx.x + 1) * width;
  low += blockIdx.x * width;
  double step = (high - low) / places;
  int thread = threadIdx.x, k = thread;
  for (int i = 0; i < rows; ++i) sums[i] = 0;
  if (thread == 0) {
    k = blockDim.x;
    sums[0] = f(low) + f(high);
  }
  for (; k < places; k += blockDim.x) sums[rows - first_set_bit(k)] += 2.0 * f(low + step * k);
  for (int i = 0; i < rows; ++i) shared[rows * thread + i] = sums[i];
  __syncthreads();
  if (thread < rows) {
    double sum = 0;
    for (int i = thread; i < blockDim.x * rows; i += rows) sum += shared[i];
    shared[thread] = sum;
  }
  __syncthreads();
  if (thread == 0) {
    double* table = sums;
    table[0] = shared[0];
    for (int i = 1; i < rows; ++i) table[i] = table[i - 1] + shared[i];
    for (int i = 0; i < rows; ++i) table[i] *= (high - low) / (1 << (i + 1));
    for (int column = 1; column < rows; ++column)
      for (int i = rows - 1; i >= column; --i) table[i] += (table[i] - table[i - 1]) / (pow(4.0, column) - 1);
    result[blockIdx.x] = table[rows - 1];
  }
}
//---- C++
inline double f(double x) { return std::exp(x) * std::sin(x); }
void reference(double low, double high, double* result, int blocks) {
  constexpr int rows = 17;
  const double width = (high - low) / blocks;
#pragma omp parallel for
  for (int block = 0; block < blocks; ++block) {
    const double start = low + block * width;
    double table[rows];
    double sum = f(start) + f(start + width);
    table[0] = sum * width / 2;
    for (int row = 1; row < rows; ++row) {
      const int places = 1 << row;
      for (int k = 1; k < places; k += 2) sum += 2.0 * f(start + k * (width / places));
      table[row] = sum * width / (2.0 * places);
    }
    for (int column = 1; column < rows; ++column)
      for (int row = rows - 1; row >= column; --row)
        table[row] += (table[row] - table[row - 1]) / (std::pow(4.0, column) - 1);
    result[block] = table[rows - 1];
  }
}
