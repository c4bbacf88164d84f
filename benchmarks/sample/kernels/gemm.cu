// SPDX-License-Identifier: MIT
// PolyBench, gemm: product of matrices, an element a thread, summed in global memory
/*
ni: 256 | 37
nj: 320 | 45
nk: 256 | 29
launch: ceil(nj, 32), ceil(ni, 8) x 32, 8
ni: int
nj: int
nk: int
alpha: float = 1.5
beta: float = 0.5
a: float[ni * nk] = uniform(-1, 1)
b: float[nk * nj] = uniform(-1, 1)
c: float[ni * nj] = uniform(-1, 1) -> 1e-5
*/
__global__ void multiply(int ni, int nj, int nk, float alpha, float beta, float* a, float* b, float* c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < ni && j < nj) {
    c[i * nj + j] *= beta;
    for (int k = 0; k < nk; ++k) c[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
  }
}
//---- C++
void reference(int ni, int nj, int nk, float alpha, float beta, const float* a, const float* b, float* c) {
#pragma omp parallel for
  for (int i = 0; i < ni; ++i) {
    float* row = c + i * nj;
    for (int j = 0; j < nj; ++j) row[j] *= beta;
    for (int k = 0; k < nk; ++k) {
      float factor = alpha * a[i * nk + k];
      for (int j = 0; j < nj; ++j) row[j] += factor * b[k * nj + j];
    }
  }
}
