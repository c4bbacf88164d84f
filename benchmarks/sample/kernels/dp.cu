// SPDX-License-Identifier: MIT
// HeCBench, dp: a dot product, four neighbours a thread, a sum a block, added up atomically
/*
n: 4_194_304 | 5000
launch: 256 if n > 9999 else 2 x 256
a: double[4 * n] = uniform(0, 1)
b: double[4 * n] = uniform(0, 1)
total: double[1] = 0 -> 1e-10
n: long
*/
__global__ void dot_product(const double* a, const double* b, double* total, long n) {
  __shared__ double part[8];
  double sum = 0;
  for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
#pragma unroll
    for (int j = 0; j < 4; ++j) sum += a[4 * i + j] * b[4 * i + j];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 8; ++i) sum += part[i];
    atomicAdd(total, sum);
  }
}
//---- C++
void reference(const double* a, const double* b, double* total, long n) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < 4 * n; ++i) sum += a[i] * b[i];
  *total += sum;
}
