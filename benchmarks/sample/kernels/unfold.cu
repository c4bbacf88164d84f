// SPDX-License-Identifier: MIT
// HeCBench, unfold: gradients of overlapping windows added to what they come from, four elements a thread by a functor
/*
n: 4_000_000 | 1003
launch: ceil(n, 256) x 64
n: int
gradients: int[n] = integers(0, 9) -> 0
windows: int[n + 1] = integers(0, 256)
place: long[1] = [1]
size: long = 2
step: long = 1
stride: long = 1
last_stride: long = 1
*/
struct Folds {
  int* __restrict__ gradients;
  const int* __restrict__ windows;
  const long* __restrict__ place;
  long size, step, stride, last_stride, count;
  __device__ void operator()(int i) const {
    long at = *place, left = at > size ? (at - size) / step : 0;
    if (!(left * step <= at && at < left * step + size)) ++left;
    long right = at / step;
    right = right >= count ? count - 1 : right;
    for (long fold = left; fold <= right; ++fold)
      gradients[i] += windows[i + fold * stride + (at - fold * step) * last_stride];
  }
};
template <int threads, int each, typename Function> __device__ void for_elements(int n, Function function) {
  int i = threads * each * blockIdx.x + threadIdx.x;
#pragma unroll
  for (int k = 0; k < each; ++k) {
    if (i < n) {
      function(i);
      i += threads;
    }
  }
}
__global__ void unfold_backward(int n, int* gradients, const int* windows, const long* place, long size, long step,
                                long stride, long last_stride) {
  for_elements<64, 4>(n, Folds{gradients, windows, place, size, step, stride, last_stride, n});
}
//---- C++
void reference(int n, int* gradients, const int* windows, const long* place, long size, long step, long stride,
               long last_stride) {
  long at = *place, left = at > size ? (at - size) / step : 0;
  if (!(left * step <= at && at < left * step + size)) ++left;
  long right = std::min<long>(at / step, n - 1);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int sum = 0;
    for (long fold = left; fold <= right; ++fold) sum += windows[i + fold * stride + (at - fold * step) * last_stride];
    gradients[i] += sum;
  }
}
