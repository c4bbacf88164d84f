// SPDX-License-Identifier: MIT
// HeCBench, damage: the share of broken bonds of nodes with 128 bonds each
/*
nodes: 65536 | 50
launch: nodes x 128
shared: 512
bonds: int[128 * nodes] = integers(-1, 3)
family: int[nodes] = integers(100, 129)
count: int[nodes] -> 0
damage: double[nodes] -> 1e-12
nodes: int
*/
__global__ void damage_of(const int* bonds, const int* family, int* count, double* damage, int nodes) {
  extern __shared__ int intact[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  intact[t] = i < nodes * 128 && bonds[i] != -1 ? 1 : 0;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) intact[t] += intact[t + half];
    __syncthreads();
  }
  if (t == 0) {
    count[blockIdx.x] = intact[0];
    damage[blockIdx.x] = 1.0 - (double)intact[0] / family[blockIdx.x];
  }
}
//---- C++
void reference(const int* bonds, const int* family, int* count, double* damage, int nodes) {
#pragma omp parallel for
  for (int node = 0; node < nodes; ++node) {
    int intact = 0;
    for (int i = 0; i < 128; ++i) intact += bonds[node * 128 + i] != -1;
    count[node] = intact;
    damage[node] = 1.0 - (double)intact / family[node];
  }
}
