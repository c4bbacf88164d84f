// SPDX-License-Identifier: MIT
// NPB, EP: pairs of normal deviates from 46-bit random numbers in doubles, counted by their size, a batch a thread
/*
batches: 4096 | 300
pairs: 256 | 32
jump: 7655863654401 | 50673755460353
launch: ceil(batches, 128) x 128
counts: double[10 * ceil(batches, 128)] -> 1e-12, 0.02
sums_x: double[ceil(batches, 128)] -> 1e-8
sums_y: double[ceil(batches, 128)] -> 1e-8
jump: double
batches: int
pairs: int
*/
__device__ double next_random(double* x, double a) {
  const double r23 = 1.0 / 8388608, t23 = 8388608, r46 = r23 * r23, t46 = t23 * t23;
  double a1 = (int)(r23 * a), a2 = a - t23 * a1, x1 = (int)(r23 * *x), x2 = *x - t23 * x1;
  double middle = a1 * x2 + a2 * x1, z = middle - t23 * (int)(r23 * middle), low = t23 * z + a2 * x2;
  *x = low - t46 * (int)(r46 * low);
  return r46 * *x;
}
__device__ void next_randoms(int n, double* x, double a, double* numbers) {
  const double r23 = 1.0 / 8388608, t23 = 8388608, r46 = r23 * r23, t46 = t23 * t23;
  double a1 = (int)(r23 * a), a2 = a - t23 * a1, state = *x;
  for (int i = 0; i < n; ++i) {
    double x1 = (int)(r23 * state), x2 = state - t23 * x1;
    double middle = a1 * x2 + a2 * x1, z = middle - t23 * (int)(r23 * middle), low = t23 * z + a2 * x2;
    state = low - t46 * (int)(r46 * low);
    numbers[i] = r46 * state;
  }
  *x = state;
}
__global__ void normal_pairs(double* counts, double* sums_x, double* sums_y, double jump, int batches, int pairs) {
  double numbers[2 * 32], own_counts[10], sum_x = 0.0, sum_y = 0.0;
  for (int i = 0; i < 10; ++i) own_counts[i] = 0.0;
  int batch = blockIdx.x * blockDim.x + threadIdx.x;
  if (batch >= batches) return;
  double seed = 271828183.0, factor = jump;
  for (int i = 1; i <= 100; ++i) {
    int half = batch / 2;
    if (2 * half != batch) next_random(&seed, factor);
    if (half == 0) break;
    next_random(&factor, factor);
    batch = half;
  }
  for (int done = 0; done < pairs; done += 32) {
    next_randoms(2 * 32, &seed, 1220703125.0, numbers);
    for (int i = 0; i < 32; ++i) {
      double x = 2.0 * numbers[2 * i] - 1.0, y = 2.0 * numbers[2 * i + 1] - 1.0, square = x * x + y * y;
      if (square <= 1.0) {
        double scale = sqrt(-2.0 * log(square) / square);
        x *= scale;
        y *= scale;
        int ring = max(fabs(x), fabs(y));
        own_counts[ring] += 1.0;
        sum_x += x;
        sum_y += y;
      }
    }
  }
  for (int i = 0; i < 10; ++i) atomicAdd(counts + blockIdx.x * 10 + i, own_counts[i]);
  atomicAdd(sums_x + blockIdx.x, sum_x);
  atomicAdd(sums_y + blockIdx.x, sum_y);
}
//---- C++
inline double next_random(double& x, double a) {
  const long mask = (1l << 46) - 1;
  x = (double)(((long)x * (long)a) & mask);
  return x * (1.0 / (1l << 46));
}
void reference(double* counts, double* sums_x, double* sums_y, double jump, int batches, int pairs) {
#pragma omp parallel for
  for (int block = 0; block < (batches + 127) / 128; ++block) {
    double own_counts[10] = {}, sum_x = 0, sum_y = 0;
    for (int batch = 128 * block; batch < std::min(128 * block + 128, batches); ++batch) {
      double seed = 271828183.0, factor = jump;
      for (int rest = batch; rest > 0; rest /= 2) {
        if (rest % 2) next_random(seed, factor);
        next_random(factor, factor);
      }
      for (int i = 0; i < pairs; ++i) {
        double x = 2.0 * next_random(seed, 1220703125.0) - 1.0, y = 2.0 * next_random(seed, 1220703125.0) - 1.0;
        double square = x * x + y * y;
        if (square > 1.0) continue;
        double scale = std::sqrt(-2.0 * std::log(square) / square);
        x *= scale;
        y *= scale;
        own_counts[(int)std::max(std::fabs(x), std::fabs(y))] += 1.0;
        sum_x += x;
        sum_y += y;
      }
    }
    for (int i = 0; i < 10; ++i) counts[10 * block + i] += own_counts[i];
    sums_x[block] += sum_x;
    sums_y[block] += sum_y;
  }
}
