// SPDX-License-Identifier: MIT
// Accesses outside of what they may touch. See race_shared.cu.
#include "twins.h"

// CASE one_past_the_end 32 1 0
KERNEL(one_past_the_end) {
  if (t BAD(<=) GOOD(<) 31) b[n - 31 + t] = 1;
}

// CASE before_the_start 32 1 0
KERNEL(before_the_start) { b[t] = a[t BAD(-1) GOOD(+1)]; }

// CASE null_pointer 32 1 0
KERNEL(null_pointer) {
  int *p = BAD((int *)(size_t)(n / 2000)) GOOD(b);
  p[t] = 1;
}

// CASE misaligned 32 1 0
KERNEL(misaligned) { *(int2 *)((char *)b + 8 * t BAD(+4)) = make_int2(t, t); }

// CASE shared_past_the_end 32 1 0
KERNEL(shared_past_the_end) {
  __shared__ int s[32];
  s[t] = a[t];
  __syncthreads();
  b[t] = s[t GOOD(*0) BAD(+1)];
}

// CASE shared_neighbour 32 1 0
KERNEL(shared_neighbour) {
  __shared__ int s[32], r[32];
  r[t] = t;
  s[t BAD(+n / n)] = a[t];
  __syncthreads();
  b[t] = s[31 - t] + r[t];
}

// CASE dynamic_shared_too_small 32 1 128
KERNEL(dynamic_shared_too_small) {
  extern __shared__ int d[];
  d[t GOOD(+0) BAD(+8)] = a[t];
  __syncthreads();
  b[t] = d[t GOOD(+0) BAD(+8)];
}

// CASE local_array 32 1 0
KERNEL(local_array) {
  int v[8];
  for (int k = 0; k < 8; ++k) v[k] = a[k];
  b[t] = v[(n + t) % 8 BAD(+4)];
}

// CASE atomic_past_the_end 32 1 0
KERNEL(atomic_past_the_end) { atomicAdd(&b[n - 1 BAD(+1)], 1); }

// CASE wide_load_at_the_end 32 1 0
KERNEL(wide_load_at_the_end) {
  int4 v = ((int4 *)a)[n / 4 BAD(+0) GOOD(-1)];
  b[t] = v.x;
}

// CASE grid_too_large 128 9 0
KERNEL(grid_too_large) {
  GOOD(if (i < n)) b[i] = i;
}

// CASE freed_in_the_kernel 1 1 0
KERNEL(freed_in_the_kernel) {
  int *p = (int *)malloc(16);
  *p = 1;
  BAD(free(p);)
  b[0] = *p;
  GOOD(free(p);)
}
