// SPDX-License-Identifier: MIT
// PyCUDA, kernel_concurrency: one block doubles and halves its values again and again, in global memory
/*
n: 400 | 77
launch: 1 x n
values: float[n] = uniform(-2, 2) -> 0
n: int
*/
__global__ void double_and_halve(float* values, int) {
  const int i = threadIdx.x;
  for (int m = 0; m < 100; ++m) {
    for (int k = 0; k < 100; ++k) values[i] = values[i] * 2.0;
    for (int k = 0; k < 100; ++k) values[i] = values[i] / 2.0;
  }
  values[i] = values[i] * 2.0;
}
//---- C++
void reference(float* values, int n) {
  constexpr int width = 64;
#pragma omp parallel for
  for (int start = 0; start < n; start += width) {
    int count = std::min(width, n - start);
    float* part = values + start;
    for (int m = 0; m < 100; ++m) {
      for (int k = 0; k < 100; ++k)
        for (int i = 0; i < count; ++i) part[i] = part[i] * 2.0;
      for (int k = 0; k < 100; ++k)
        for (int i = 0; i < count; ++i) part[i] = part[i] / 2.0;
    }
    for (int i = 0; i < count; ++i) part[i] = part[i] * 2.0;
  }
}
