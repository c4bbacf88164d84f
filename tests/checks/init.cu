// SPDX-License-Identifier: MIT
// Reads of memory that nobody wrote. See race_shared.cu.
#include "twins.h"

// CASE unwritten_array 64 1 0
KERNEL(unwritten_array) { b[t] = BAD(c[t]) GOOD(a[t]); }

// CASE only_even_elements 64 1 0
KERNEL(only_even_elements) {
  if (t % 2 == 0 GOOD(|| n > 0)) c[t] = t;
  __syncthreads();
  b[t] = c[63 - t];
}

// CASE sum_without_a_start 64 1 0
KERNEL(sum_without_a_start) {
  GOOD(c[t] = 0;)
  c[t] += a[t];
}

// CASE atomic_counter 64 1 0
KERNEL(atomic_counter) {
  GOOD(if (t == 0) c[0] = 0;)
  __syncthreads();
  atomicAdd(&c[0], 1);
}

// CASE half_of_shared 64 1 0
KERNEL(half_of_shared) {
  __shared__ int s[64];
  if (t < BAD(32) GOOD(64)) s[t] = a[t];
  __syncthreads();
  b[t] = s[63 - t];
}

// CASE shared_halo 64 1 0
KERNEL(shared_halo) {
  __shared__ int s[66];
  s[t + 1] = a[t];
  if (t == 0) s[0] = 0;
  GOOD(if (t == 63) s[65] = 0;)
  __syncthreads();
  b[t] = s[t] + s[t + 1] + s[t + 2];
}

// CASE dynamic_shared_unwritten 64 1 512
KERNEL(dynamic_shared_unwritten) {
  extern __shared__ int d[];
  d[t] = a[t];
  GOOD(d[t + 64] = 0;)
  __syncthreads();
  b[t] = d[127 - t];
}

// CASE local_array_unwritten 32 1 0
KERNEL(local_array_unwritten) {
  int v[8];
  for (int k = 0; k < BAD(7) GOOD(8); ++k) v[(k + n) % 8] = a[k];
  b[t] = v[(n + 7) % 8] + v[t % 7];
}

// CASE reduction_of_odd_block 96 1 0
KERNEL(reduction_of_odd_block) {
  __shared__ int s[128];
  s[t] = a[t];
  GOOD(if (t < 32) s[t + 96] = 0;)
  for (int d = 64; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) s[t] += s[t + d];
  }
  if (t == 0) b[0] = s[0];
}

// CASE branch_on_unwritten 32 1 0
KERNEL(branch_on_unwritten) {
  __shared__ int flag;
  if (t == 0 && n BAD(<) GOOD(>) 0) flag = a[t];
  __syncthreads();
  if (flag > 3) b[t] = 1;
}

// CASE heap_memory 1 1 0
KERNEL(heap_memory) {
  int *p = (int *)malloc(16);
  p[0] = 1;
  GOOD(p[1] = 2;)
  b[0] = p[1];
  free(p);
}

// CASE wide_load 16 1 0
KERNEL(wide_load) {
  GOOD(((int4 *)c)[t] = make_int4(1, 2, 3, 4);)
  int4 v = ((int4 *)c)[t];
  b[t] = v.x + v.w;
}

// CASE bytes 64 1 0
KERNEL(bytes) {
  unsigned char *bytes = (unsigned char *)c;
  GOOD(bytes[t] = t;)
  b[t] = bytes[t];
}

// CASE structure_with_a_gap 16 1 0
struct Gap {
  double value;
  int number;
};
KERNEL(structure_with_a_gap) {
  Gap *from = (Gap *)c, *to = (Gap *)b;
  GOOD(from[t].value = t;)
  GOOD(from[t].number = t;)
  to[t] = from[t];
  a[t] = to[t].number + 1;
}

// CASE unused_fourth_component 16 1 0
KERNEL(unused_fourth_component) {
  float4 *from = (float4 *)c, *to = (float4 *)b;
  GOOD(from[t].x = 1;)
  GOOD(from[t].y = 2;)
  to[t] = from[t];
}

// CASE read_in_a_function 32 1 0
__device__ __noinline__ int get(const int *place) { return *place; }
KERNEL(read_in_a_function) {
  __shared__ int s[32];
  GOOD(s[t] = t;)
  b[t] = get(&s[t]);
}

// CASE not_a_number_is_a_number 32 1 0
KERNEL(not_a_number_is_a_number) {
  // What unwritten memory is filled with may also be written.
  GOOD(c[t] = a[t] + 0xfff5a7c3;)
  b[t] = c[t];
}
