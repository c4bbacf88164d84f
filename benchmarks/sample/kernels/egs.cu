// SPDX-License-Identifier: MIT
// HeCBench, egs: adds the scores of many blocks to totals, a category a block
/*
categories: 6 | 3
pixels: 4096 | 300
parts: 128 | 7
launch: categories x 256
scores: float[parts * categories * pixels] = uniform(0, 1)
totals: double[categories * pixels] = uniform(0, 1) -> 1e-12
categories: int
pixels: int
parts: int
*/
__global__ void add_scores(const float* scores, double* totals, int categories, int pixels, int parts) {
  int category = blockIdx.x;
  for (int i = threadIdx.x; i < pixels; i += blockDim.x) {
    double total = 0;
    for (int j = 0; j < parts; ++j) total += scores[(j * categories + category) * pixels + i];
    totals[category * pixels + i] += total;
  }
}
//---- C++
void reference(const float* scores, double* totals, int categories, int pixels, int parts) {
#pragma omp parallel for
  for (int category = 0; category < categories; ++category) {
    std::vector<double> total(pixels);
    for (int j = 0; j < parts; ++j)
      for (int i = 0; i < pixels; ++i) total[i] += scores[(j * categories + category) * pixels + i];
    for (int i = 0; i < pixels; ++i) totals[category * pixels + i] += total[i];
  }
}
