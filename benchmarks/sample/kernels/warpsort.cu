// SPDX-License-Identifier: MIT
// HeCBench, warpsort: lists of up to 128 floats sorted downwards in a warp's registers by exchanges, a list a block
/*
lists: 2048 | 9
count: 110 | 101
launch: lists x 32
values: float[lists * count] = uniform(-1, 1)
sorted: float[lists * count] -> 0
count: int
lists: int
*/
template <typename T> __device__ T exchange(T x, int mask, bool direction) {
  T y = __shfl_xor_sync(0xffffffff, x, mask);
  return (x > y) == direction ? y : x;
}
template <typename T> __device__ T sort_warp(T value) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int size = 2; size <= 32; size *= 2) {
#pragma unroll
    for (int step = size / 2; step > 0; step /= 2)
      value = exchange(value, step, ((lane & size & 31) != 0) != ((lane & step) != 0));
  }
  return value;
}
// Half a warp of values from a place on, into the lower lanes.
template <int N, typename T> __device__ T half_of(const T list[N], int place, T value) {
  T found = list[0];
#pragma unroll
  for (int i = 1; i < N; ++i)
    if (i == place / 32) found = list[i];
  T shifted = __shfl_down_sync(0xffffffff, found, 16);
  found = place / 16 % 2 ? shifted : found;
  return threadIdx.x % 32 < 16 ? found : value;
}
template <int N, typename T> __device__ void set_half(T list[N], int place, T value) {
  T shifted = __shfl_up_sync(0xffffffff, value, 16);
  bool upper = place / 16 % 2;
  if (!upper || threadIdx.x % 32 >= 16) {
#pragma unroll
    for (int i = 0; i < N; ++i)
      if (i == place / 32) list[i] = upper ? shifted : value;
  }
}
template <int N, typename T> __device__ T element(const T list[N], int place) {
  T found = list[0];
#pragma unroll
  for (int i = 1; i < N; ++i)
    if (i == place / 32) found = list[i];
  return __shfl_sync(0xffffffff, found, place % 32);
}
template <int M, int N, typename T> __device__ void merge(const T a[M], const T b[N], T merged[M + N]) {
  T value = __shfl_up_sync(0xffffffff, b[0], 16);
  if (threadIdx.x % 32 < 16) value = a[0];
  int at_a = 16, at_b = 16;
  for (int place = 0;; place += 16) {
    value = sort_warp(value);
    if (place >= (M + N - 1) * 32) break;
    set_half<M + N>(merged, place, value);
    bool from_a = at_b == 32 * N;
    if (at_a < 32 * M && at_b < 32 * N) from_a = element<M>(a, at_a - 1) > element<N>(b, at_b - 1);
    if (from_a) {
      value = half_of<M>(a, at_a, value);
      at_a += 16;
    } else {
      value = half_of<N>(b, at_b, value);
      at_b += 16;
    }
  }
  merged[M + N - 1] = value;
}
template <int N, typename T> struct Sorted {
  static __device__ void all(const T in[N], T out[N]) {
    T a[N / 2], b[N - N / 2];
    Sorted<N / 2, T>::all(in, a);
    Sorted<N - N / 2, T>::all(in + N / 2, b);
    merge<N / 2, N - N / 2>(a, b, out);
  }
};
template <typename T> struct Sorted<1, T> {
  static __device__ void all(const T in[1], T out[1]) { out[0] = sort_warp(in[0]); }
};
template <int N, typename T> __device__ void sort_list(const T* in, T* out, int count) {
  T values[N], results[N];
#pragma unroll
  for (int i = 0; i < N; ++i) {
    int at = 32 * i + threadIdx.x;
    values[i] = at < count ? in[at] : -INFINITY;
  }
  Sorted<N, T>::all(values, results);
#pragma unroll
  for (int i = 0; i < N; ++i)
    if (32 * i + threadIdx.x < count) out[32 * i + threadIdx.x] = results[i];
}
__global__ void sort_lists(const float* values, float* sorted, int count, int lists) {
  const float* in = values + blockIdx.x * count;
  float* out = sorted + blockIdx.x * count;
  if (count <= 32) sort_list<1>(in, out, count);
  else if (count <= 64) sort_list<2>(in, out, count);
  else if (count <= 96) sort_list<3>(in, out, count);
  else if (count <= 128) sort_list<4>(in, out, count);
}
//---- C++
void reference(const float* values, float* sorted, int count, int lists) {
#pragma omp parallel for
  for (int list = 0; list < lists; ++list) {
    float* out = sorted + list * count;
    std::copy_n(values + list * count, count, out);
    std::sort(out, out + count, [](float a, float b) { return a > b; });
  }
}
