// SPDX-License-Identifier: MIT
// PolyBench, gramschmidt: makes the columns after one orthogonal to it, a column a thread, summed in global memory
/*
ni: 1024 | 45
nj: 1024 | 71
k: 9 | 5
launch: ceil(nj, 256) x 256
once: takes away what is gone
ni: int
nj: int
a: float[ni * nj] = uniform(-1, 1) -> 1e-5
r: float[ni * nj] -> 1e-5
q: float[ni * nj] = uniform(-1, 1) * (3 / ni) ** 0.5
k: int
*/
__global__ void orthogonalise(int ni, int nj, float* a, float* r, float* q, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j > k && j < nj) {
    r[k * nj + j] = 0.0;
    for (int i = 0; i < ni; ++i) r[k * nj + j] += q[i * nj + k] * a[i * nj + j];
    for (int i = 0; i < ni; ++i) a[i * nj + j] -= q[i * nj + k] * r[k * nj + j];
  }
}
//---- C++
void reference(int ni, int nj, float* a, float* r, const float* q, int k) {
  constexpr int width = 64;
#pragma omp parallel for
  for (int start = k + 1; start < nj; start += width) {
    int count = std::min(width, nj - start);
    float sums[width] = {};
    for (int i = 0; i < ni; ++i)
      for (int j = 0; j < count; ++j) sums[j] += q[i * nj + k] * a[i * nj + start + j];
    for (int i = 0; i < ni; ++i)
      for (int j = 0; j < count; ++j) a[i * nj + start + j] -= q[i * nj + k] * sums[j];
    std::copy_n(sums, count, r + k * nj + start);
  }
}
