// SPDX-License-Identifier: MIT
// HeCBench, mmcsf: a sparse tensor of four dimensions times three matrices, warps by fibers, sums by atomic additions
/*
slices: 500 | 9
fibers: 6000 | 41
each: 3 | 3
inner: fibers * each | fibers * each
rank: 32 | 32
rows: 2000 | 50
launch: ceil(ceil(fibers, 4) * 64, 512) x 512
starts: int[inner + 1] = row_starts(1, 12)
values: float[starts[inner]] = uniform(0, 1)
slice: int[fibers + 1] = sort(integers(0, slices))
third: int[starts[inner]] = integers(0, rows)
fiber_starts: int[fibers + 1] = each * arange(fibers + 1)
first: int[fibers] = integers(0, rows)
second: int[inner] = integers(0, rows)
fibers: int
result: float[slices * rank] -> 1e-5
by_first: float[rows * rank] = uniform(0, 1)
by_second: float[rows * rank] = uniform(0, 1)
by_third: float[rows * rank] = uniform(0, 1)
rank: int
log_warps: int = 1
log_fibers: int = 2
*/
__global__ void mttkrp(const int* __restrict__ starts, const float* __restrict__ values, const int* __restrict__ slice,
                       const int* __restrict__ third, const int* __restrict__ fiber_starts,
                       const int* __restrict__ first, const int* __restrict__ second, int fibers, float* result,
                       const float* __restrict__ by_first, const float* __restrict__ by_second,
                       const float* __restrict__ by_third, int rank, int log_warps, int log_fibers) {
  unsigned thread = threadIdx.x, lane = thread % 32, index = blockIdx.x * blockDim.x + thread;
  unsigned part = (thread & ((32u << log_warps) - 1)) / 32;
  unsigned start = index >> (5 + log_warps) << log_fibers;
  if (start >= fibers) return;
  float slice_sum = 0;
  bool written = false;
  unsigned row = 0;
  for (unsigned fiber = start; fiber < start + (1u << log_fibers) && fiber < fibers; ++fiber) {
    written = false;
    row = slice[fiber];
    float fiber_sum = 0;
    for (int inner = fiber_starts[fiber] + part; inner < fiber_starts[fiber + 1]; inner += 1 << log_warps) {
      float sum = 0;
      for (int x = starts[inner]; x < starts[inner + 1]; ++x)
        for (unsigned r = lane; r < rank; r += 32) sum += values[x] * by_third[third[x] * rank + r];
      for (unsigned r = lane; r < rank; r += 32) fiber_sum += sum * by_second[second[inner] * rank + r];
    }
    for (unsigned r = lane; r < rank; r += 32) slice_sum += fiber_sum * by_first[first[fiber] * rank + r];
    if (slice[fiber] != slice[fiber + 1]) {
      written = true;
      for (unsigned r = lane; r < rank; r += 32) atomicAdd(&result[row * rank + r], slice_sum);
      slice_sum = 0;
    }
  }
  if (!written)
    for (unsigned r = lane; r < rank; r += 32) atomicAdd(&result[row * rank + r], slice_sum);
}
//---- C++
void reference(const int* starts, const float* values, const int* slice, const int* third, const int* fiber_starts,
               const int* first, const int* second, int fibers, float* result, const float* by_first,
               const float* by_second, const float* by_third, int rank, int log_warps, int log_fibers) {
#pragma omp parallel
  {
    std::vector<float> sum(rank), fiber_sum(rank), slice_sum(rank);
#pragma omp for schedule(dynamic, 64)
    for (int fiber = 0; fiber < fibers; ++fiber) {
      // The fibers of a slice follow each other; the first one's turn does them all.
      if (fiber > 0 && slice[fiber - 1] == slice[fiber]) continue;
      std::fill(slice_sum.begin(), slice_sum.end(), 0.0f);
      for (int own = fiber; own < fibers && slice[own] == slice[fiber]; ++own) {
        std::fill(fiber_sum.begin(), fiber_sum.end(), 0.0f);
        for (int inner = fiber_starts[own]; inner < fiber_starts[own + 1]; ++inner) {
          std::fill(sum.begin(), sum.end(), 0.0f);
          for (int x = starts[inner]; x < starts[inner + 1]; ++x) {
            const float* factors = by_third + (size_t)third[x] * rank;
            for (int r = 0; r < rank; ++r) sum[r] += values[x] * factors[r];
          }
          const float* factors = by_second + (size_t)second[inner] * rank;
          for (int r = 0; r < rank; ++r) fiber_sum[r] += sum[r] * factors[r];
        }
        const float* factors = by_first + (size_t)first[own] * rank;
        for (int r = 0; r < rank; ++r) slice_sum[r] += fiber_sum[r] * factors[r];
      }
      float* to = result + (size_t)slice[fiber] * rank;
      for (int r = 0; r < rank; ++r) to[r] += slice_sum[r];
    }
  }
}
