// SPDX-License-Identifier: MIT
// Races on shared memory. Each kernel has its fault where FAULT is defined and is right where it is not: BAD(...) stands
// in the one, GOOD(...) in the other. A line "// CASE name block grid shared-bytes" before a kernel says how to launch it.
#include "twins.h"

// CASE missing_barrier 64 1 0
KERNEL(missing_barrier) {
  __shared__ int s[64];
  s[t] = a[t];
  GOOD(__syncthreads();)
  b[t] = s[63 - t];
}

// CASE missing_second_barrier 64 1 0
KERNEL(missing_second_barrier) {
  __shared__ int s[64];
  for (int i = 0; i < 4; ++i) {
    s[t] = a[t] + i;
    __syncthreads();
    b[t] += s[(t + 32) % 64];
    GOOD(__syncthreads();)
  }
}

// CASE scan_in_place 128 1 0
KERNEL(scan_in_place) {
  __shared__ int s[128];
  s[t] = a[t];
  for (int d = 1; d < 128; d *= 2) {
    __syncthreads();
    int v = t >= d ? s[t - d] : 0;
    GOOD(__syncthreads();)
    s[t] += v;
  }
  b[t] = s[t];
}

// CASE reduction_without_barrier 128 1 0
KERNEL(reduction_without_barrier) {
  __shared__ int s[128];
  s[t] = a[t];
  GOOD(__syncthreads();)
  for (int d = 64; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) b[0] = s[0];
}

// CASE reduction_last_warp 64 1 0
KERNEL(reduction_last_warp) {
  __shared__ int s[64];
  s[t] = a[t];
  __syncthreads();
  if (t < 32) {
    for (int d = 32; d > 0; d /= 2) {
      int v = s[t] + s[t + d];
      GOOD(__syncwarp();)
      s[t] = v;
      GOOD(__syncwarp();)
    }
  }
  if (t == 0) b[0] = s[0];
}

// CASE neighbour_in_warp 32 1 0
KERNEL(neighbour_in_warp) {
  __shared__ int s[32];
  s[t] = a[t];
  GOOD(__syncwarp();)
  b[t] = s[t ^ 1];
}

// CASE half_warp_mask 32 1 0
KERNEL(half_warp_mask) {
  __shared__ int s[32];
  s[t] = a[t];
  __syncwarp(BAD(t < 16 ? 0xffff : 0xffff0000) GOOD(0xffffffff));
  b[t] = s[31 - t];
}

// CASE warp_barrier_between_warps 64 1 0
KERNEL(warp_barrier_between_warps) {
  __shared__ int s[64];
  s[t] = a[t];
  BAD(__syncwarp();)
  GOOD(__syncthreads();)
  b[t] = s[(t + 32) % 64];
}

// CASE plain_counter 64 1 0
KERNEL(plain_counter) {
  __shared__ int count;
  if (t == 0) count = 0;
  __syncthreads();
  if (a[t] == 0) {
    BAD(count += 1;)
    GOOD(atomicAdd(&count, 1);)
  }
  __syncthreads();
  b[t] = count;
}

// CASE histogram 128 1 0
KERNEL(histogram) {
  __shared__ int bins[16];
  if (t < 16) bins[t] = 0;
  GOOD(__syncthreads();)
  atomicAdd(&bins[(a[t] + t) % 16], 1);
  __syncthreads();
  if (t < 16) b[t] = bins[t];
}

// CASE histogram_read_early 128 1 0
KERNEL(histogram_read_early) {
  __shared__ int bins[16];
  if (t < 16) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[(a[t] + t) % 16], 1);
  GOOD(__syncthreads();)
  if (t < 16) b[t] = bins[t];
}

// CASE different_values_same_place 64 1 0
KERNEL(different_values_same_place) {
  __shared__ int last;
  BAD(last = t;)
  GOOD(if (t == 63) last = t;)
  __syncthreads();
  b[t] = last;
}

// CASE flag_of_equal_values 64 1 0
KERNEL(flag_of_equal_values) {
  __shared__ int found;
  if (t == 0) found = 0;
  __syncthreads();
  found = BAD(t + 1) GOOD(1);
  __syncthreads();
  b[t] = found;
}

// CASE bytes_of_a_word 64 1 0
KERNEL(bytes_of_a_word) {
  __shared__ unsigned char s[68];
  s[t] = a[t];
  BAD(if (t == 1) s[t + 1] = 7;)
  GOOD(if (t == 1) s[t + 65] = 7;)
  __syncthreads();
  b[t] = s[t];
}

// CASE wide_over_narrow 32 1 0
KERNEL(wide_over_narrow) {
  __shared__ __align__(16) int s[128];
  int4 v = make_int4(t, t, t, t);
  ((int4 *)s)[t] = v;
  GOOD(__syncwarp();)
  b[t] = s[(t * 4 + 5) % 128];
}

// CASE halo 64 1 0
KERNEL(halo) {
  __shared__ int s[66];
  s[t + 1] = a[t];
  if (t == 0) s[0] = 0;
  if (t == 63) s[65] = 0;
  GOOD(__syncthreads();)
  b[t] = s[t] + s[t + 1] + s[t + 2];
}

// CASE transpose 256 1 0
KERNEL(transpose) {
  __shared__ int s[16][17];
  int x = t % 16, y = t / 16;
  s[y][x] = a[t];
  GOOD(__syncthreads();)
  b[t] = s[x][y];
}

// CASE swapped_buffers 64 1 0
KERNEL(swapped_buffers) {
  __shared__ int s[2][64];
  s[0][t] = a[t];
  __syncthreads();
  for (int i = 0; i < 4; ++i) {
    int from = i % 2, to = BAD(from) GOOD(1 - from);
    int v = s[from][(t + 1) % 64];
    s[to][t] = v;
    __syncthreads();
  }
  b[t] = s[0][t];
}

// CASE dynamic_shared 64 1 256
KERNEL(dynamic_shared) {
  extern __shared__ int d[];
  d[t] = a[t];
  GOOD(__syncthreads();)
  b[t] = d[63 - t];
}

// CASE in_a_function 64 1 0
__device__ __noinline__ void put(int *place, int value) { *place = value; }
KERNEL(in_a_function) {
  __shared__ int s[64];
  put(&s[t], a[t]);
  GOOD(__syncthreads();)
  b[t] = s[63 - t];
}

// CASE named_barrier 64 1 0
KERNEL(named_barrier) {
  __shared__ int s[64];
  s[t] = a[t];
  BAD(if (t < 32) asm volatile("bar.sync 1, 32;" ::: "memory"); else asm volatile("bar.sync 2, 32;" ::: "memory");)
  GOOD(asm volatile("bar.sync 1, 64;" ::: "memory");)
  b[t] = s[63 - t];
}

// CASE producer_and_consumer 64 1 0
KERNEL(producer_and_consumer) {
  __shared__ int s[32];
  if (t < 32) {
    s[t] = a[t];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    BAD(s[t] += 1;)
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    b[t] = s[63 - t];
  }
}

// CASE flag_and_fence 64 1 0
KERNEL(flag_and_fence) {
  __shared__ int data;
  __shared__ volatile int ready;
  if (t == 0) ready = 0;
  __syncthreads();
  if (t == 0) {
    data = a[0] + 42;
    GOOD(__threadfence_block();)
    ready = 1;
  }
  if (t == 32) {
    while (ready == 0) {}
    GOOD(__threadfence_block();)
    b[0] = data;
  }
}

// CASE lock 64 1 0
KERNEL(lock) {
  __shared__ int held, sum;
  if (t == 0) held = sum = 0;
  __syncthreads();
  if (t % 32 == 0) {
    while (atomicCAS(&held, 0, 1) != 0) {}
    GOOD(__threadfence_block();)
    sum += a[t] + 1;
    GOOD(__threadfence_block();)
    atomicExch(&held, 0);
  }
  __syncthreads();
  b[t] = sum;
}

// CASE volatile_and_plain 64 1 0
KERNEL(volatile_and_plain) {
  __shared__ int s[64];
  volatile int *v = s;
  v[63 - t] = 0;
  __syncthreads();
  v[t] = a[t];
  __syncwarp();
  BAD(b[t] = s[63 - t];)
  GOOD(b[t] = v[63 - t];)
}

// CASE shuffle_orders 32 1 0
KERNEL(shuffle_orders) {
  __shared__ int s[32];
  int v = a[t];
  s[t] = v;
  GOOD(v = __shfl_down_sync(0xffffffff, v, 1);)
  b[t] = s[31 - t] + v;
}

// CASE barrier_in_one_branch 64 1 0
KERNEL(barrier_in_one_branch) {
  __shared__ int s[64];
  s[t] = a[t];
  if (n GOOD(>) BAD(<) 0) __syncthreads();
  b[t] = s[63 - t];
}
