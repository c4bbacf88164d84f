// SPDX-License-Identifier: MIT
// HeCBench, lebesgue: Lagrange polynomials at many places and the largest sum of their magnitudes
/*
n: 11 | 7
places: 100_000 | 1003
launch: ceil(places, 256) x 256
largest: double[1] -> 1e-12
values: double[n * places] -> 1e-12
at: double[places] = uniform(-1, 1)
nodes: double[n] = np.cos(math.pi * (2 * arange(n) + 1) / (2 * n))
n: int
places: int
*/
__device__ double atomic_max(double* address, double value) {
  unsigned long long* bits = (unsigned long long*)address;
  unsigned long long found = *bits;
  while (value > __longlong_as_double(found)) {
    unsigned long long expected = found;
    found = atomicCAS(bits, expected, (unsigned long long)__double_as_longlong(value));
    if (found == expected) break;
  }
  return __longlong_as_double(found);
}
__global__ void lebesgue(double* __restrict__ largest, double* __restrict__ values, const double* __restrict__ at,
                         const double* __restrict__ nodes, int n, int places) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= places) return;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    values[i * places + j] = 1;
    for (int k = 0; k < n; ++k)
      if (k != i) values[i * places + j] = values[i * places + j] * (at[j] - nodes[k]) / (nodes[i] - nodes[k]);
    sum += fabs(values[i * places + j]);
  }
  atomic_max(largest, sum);
}
//---- C++
void reference(double* largest, double* values, const double* at, const double* nodes, int n, int places) {
  double most = *largest;
#pragma omp parallel for reduction(max : most)
  for (int start = 0; start < places; start += 512) {
    const int end = std::min(start + 512, places);
    double sums[512] = {};
    for (int i = 0; i < n; ++i) {
      double* row = values + (size_t)i * places;
      std::fill(row + start, row + end, 1.0);
      for (int k = 0; k < n; ++k)
        if (k != i)
          for (int j = start; j < end; ++j) row[j] = row[j] * (at[j] - nodes[k]) / (nodes[i] - nodes[k]);
      for (int j = start; j < end; ++j) sums[j - start] += std::fabs(row[j]);
    }
    for (int j = start; j < end; ++j) most = std::max(most, sums[j - start]);
  }
  *largest = most;
}
