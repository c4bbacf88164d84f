// SPDX-License-Identifier: MIT
// PolyBench, syrk: product of a matrix and its transpose, an element a thread, summed in global memory
/*
ni: 256 | 37
nj: 256 | 45
launch: ceil(ni, 32), ceil(ni, 8) x 32, 8
ni: int
nj: int
alpha: float = 1.5
beta: float = 0.5
a: float[ni * nj] = uniform(-1, 1)
c: float[ni * ni] = uniform(-1, 1) -> 1e-5
*/
__global__ void multiply_by_itself(int ni, int nj, float alpha, float beta, float* a, float* c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < ni && j < ni) {
    c[i * ni + j] *= beta;
    for (int k = 0; k < nj; ++k) c[i * ni + j] += alpha * a[i * nj + k] * a[j * nj + k];
  }
}
//---- C++
void reference(int ni, int nj, float alpha, float beta, const float* a, float* c) {
#pragma omp parallel for
  for (int i = 0; i < ni; ++i) {
    for (int j = 0; j < ni; ++j) {
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int k = 0; k < nj; ++k) sum += a[i * nj + k] * a[j * nj + k];
      c[i * ni + j] = beta * c[i * ni + j] + alpha * sum;
    }
  }
}
