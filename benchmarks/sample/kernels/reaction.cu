// SPDX-License-Identifier: MIT
// HeCBench, reaction: second derivatives along the rows of a periodic grid, four rows a block in shared memory
/*
mx: 128 | 33
my: 128 | 8
mz: 128 | 5
launch: my // 4, mz x mx, 4
shared: 4 * 4 * (mx + 2)
f: float[mx * my * mz] = uniform(0, 1)
result: float[mx * my * mz] -> 1e-5
mx: uint
my: uint
mz: uint
*/
__global__ void second_derivative(const float* __restrict__ f, float* __restrict__ result, unsigned mx, unsigned my,
                                  unsigned mz) {
  extern __shared__ float shared[];
  int i = threadIdx.x, j = blockIdx.x * blockDim.y + threadIdx.y, k = blockIdx.y;
  int at = k * mx * my + j * mx + i;
  float* row = shared + threadIdx.y * (mx + 2);
  row[i + 1] = f[at];
  __syncthreads();
  if (i < 1) {
    row[i] = row[i + mx];
    row[i + 1 + mx] = row[i + 1];
  }
  __syncthreads();
  result[at] = row[i + 2] - 2.0f * row[i + 1] + row[i];
}
//---- C++
void reference(const float* f, float* result, unsigned mx, unsigned my, unsigned mz) {
#pragma omp parallel for
  for (unsigned line = 0; line < my * mz; ++line) {
    const float* row = f + (size_t)line * mx;
    float* to = result + (size_t)line * mx;
    to[0] = row[1] - 2.0f * row[0] + row[mx - 1];
    for (unsigned i = 1; i + 1 < mx; ++i) to[i] = row[i + 1] - 2.0f * row[i] + row[i - 1];
    to[mx - 1] = row[0] - 2.0f * row[mx - 1] + row[mx - 2];
  }
}
