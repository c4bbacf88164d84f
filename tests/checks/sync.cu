// SPDX-License-Identifier: MIT
// Barriers and warp operations that some threads miss or name wrongly. See race_shared.cu.
#include "twins.h"

// CASE early_return 64 1 0
KERNEL(early_return) {
  BAD(if (t >= 40) return;)
  b[t] = a[t];
  __syncthreads();
  GOOD(if (t >= 40) return;)
  b[t] += 1;
}

// CASE exit_of_a_warp 64 1 0
KERNEL(exit_of_a_warp) {
  BAD(if (t >= 32) return;)
  __syncthreads();
  b[t] = a[t];
}

// CASE barrier_in_a_branch 64 1 0
KERNEL(barrier_in_a_branch) {
  b[t] = a[t];
  if (t < BAD(16) GOOD(64)) __syncthreads();
  b[t] += 1;
}

// CASE barrier_in_both_branches 32 1 0
KERNEL(barrier_in_both_branches) {
  if (BAD(t < 16) GOOD(n < 16)) {
    b[t] = 1;
    __syncthreads();
    b[t] += a[t];
  } else {
    b[t] = 2;
    __syncthreads();
    b[t] -= a[t + 1];
  }
}

// CASE branches_of_warps 64 1 0
KERNEL(branches_of_warps) {
  if (BAD(t < 32) GOOD(n < 32)) {
    b[t] = 1;
    __syncthreads();
    b[t] += a[t];
  } else {
    b[t] = 2;
    __syncthreads();
    b[t] -= a[t + 1];
  }
}

// CASE loop_left_early 64 1 0
KERNEL(loop_left_early) {
  int trips = BAD(t / 32 + 2) GOOD(3);
  for (int k = 0; k < trips; ++k) {
    b[t] += k;
    __syncthreads();
  }
}

// CASE divergent_loop 32 1 0
KERNEL(divergent_loop) {
  for (int k = 0; k < BAD(t) GOOD(8); ++k) {
    b[t] += a[k];
    __syncthreads();
  }
}

// CASE count_of_half_a_warp 32 1 0
KERNEL(count_of_half_a_warp) {
  asm volatile("barrier.sync 1, %0;" ::"r"(BAD(16) GOOD(32)) : "memory");
  b[t] = a[t];
}

// CASE mixed_counts 96 1 0
KERNEL(mixed_counts) {
  asm volatile("barrier.sync 1, %0;" ::"r"(BAD(t < 64 ? 64 : 96) GOOD(96)) : "memory");
  b[t] = a[t];
}

// CASE count_beyond_the_block 64 1 0
KERNEL(count_beyond_the_block) {
  asm volatile("barrier.arrive 1, %0;" ::"r"(BAD(128) GOOD(64)) : "memory");
  b[t] = a[t];
}

// CASE arrival_without_a_wait 64 1 0
KERNEL(arrival_without_a_wait) {
  if (t < 32)
    asm volatile("barrier.arrive 1, 64;" ::: "memory");
  GOOD(else asm volatile("barrier.sync 1, 64;" ::: "memory");)
  b[t] = a[t];
}

// CASE half_a_warp_at_a_counted_barrier 64 1 0
KERNEL(half_a_warp_at_a_counted_barrier) {
  if (t < 32 || t >= BAD(48) GOOD(32)) asm volatile("bar.sync 1, 64;" ::: "memory");
  b[t] = a[t];
}

// CASE mask_without_the_caller 32 1 0
KERNEL(mask_without_the_caller) {
  __syncwarp(BAD(t < 16 ? 0xffff : 0x7fff0000) GOOD(t < 16 ? 0xffff : 0xffff0000));
  b[t] = a[t];
}

// CASE shuffle_from_exited_lanes 32 1 0
KERNEL(shuffle_from_exited_lanes) {
  if (t >= 20) return;
  b[t] = __shfl_down_sync(0xffffffff, a[t], BAD(4) GOOD(t < 16 ? 4 : 0));
}

// CASE shuffle_from_outside_the_mask 64 1 0
KERNEL(shuffle_from_outside_the_mask) {
  if (t % 32 < 16)
    b[t] = __shfl_xor_sync(0xffff, a[t], BAD(16) GOOD(8));
  else
    b[t] = 1;
}

// CASE different_operations 32 1 0
KERNEL(different_operations) {
  if (t < 16)
    b[t] = __any_sync(BAD(0xffffffff) GOOD(0xffff), a[t]);
  else
    b[t] = __shfl_sync(BAD(0xffffffff) GOOD(0xffff0000), a[t], 20);
}

// CASE lane_at_a_block_barrier 32 1 0
KERNEL(lane_at_a_block_barrier) {
  if (t == 3) {
    BAD(__syncthreads();)
  } else {
    __syncwarp(BAD(0xffffffff) GOOD(0xfffffff7));
  }
  b[t] = a[t];
}

// CASE barriers_crossed 64 1 0
KERNEL(barriers_crossed) {
  if (t < 32) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    asm volatile("bar.sync 2, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync %0, 64;" ::"r"(BAD(2) GOOD(1)) : "memory");
    asm volatile("bar.sync %0, 64;" ::"r"(BAD(1) GOOD(2)) : "memory");
  }
  b[t] = a[t];
}
