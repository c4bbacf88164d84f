// SPDX-License-Identifier: MIT
// Races on global memory, within a block and between blocks. See race_shared.cu.
#include "twins.h"

// CASE neighbour_in_block 64 1 0
KERNEL(neighbour_in_block) {
  b[t] = a[t] + t;
  GOOD(__syncthreads();)
  a[t] = b[63 - t];
}

// CASE stencil_in_place 128 4 0
KERNEL(stencil_in_place) {
  __shared__ int s[130];
  for (int j = t; j < 130; j += 128) {
    int x = blockIdx.x * 128 + j - 1;
    s[j] = x >= 0 && x < n ? a[x] : 0;
  }
  __syncthreads();
  (BAD(a) GOOD(b))[i] = s[t] + 2 * s[t + 1] + s[t + 2];
}

// CASE plain_sum_of_blocks 64 4 0
KERNEL(plain_sum_of_blocks) {
  if (t == 0) {
    BAD(b[0] += blockIdx.x + 1;)
    GOOD(atomicAdd(&b[0], blockIdx.x + 1);)
  }
}

// CASE last_writer_wins 64 4 0
KERNEL(last_writer_wins) {
  if (t == 0) b[BAD(0) GOOD(blockIdx.x)] = blockIdx.x;
}

// CASE overlapping_strides 64 4 0
KERNEL(overlapping_strides) {
  for (int k = i; k < n; k += BAD(64) GOOD(256)) a[k] += 1;
}

// CASE last_block_sums 64 4 0
KERNEL(last_block_sums) {
  __shared__ bool is_last;
  if (t == 0) {
    a[blockIdx.x] = blockIdx.x + 1;
    GOOD(__threadfence();)
    is_last = atomicAdd(&a[100], 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && t < 4) b[t] = a[t];
}

// CASE flag_between_blocks 32 2 0
KERNEL(flag_between_blocks) {
  volatile int *flag = &a[512];
  if (blockIdx.x == 0 && t == 0) {
    a[0] = n;
    GOOD(__threadfence();)
    *flag = 1;
  }
  if (blockIdx.x == 1 && t == 0) {
    while (*flag == 0) {}
    __threadfence();
    b[0] = a[0];
  }
}

// CASE only_one_thread_waits 64 2 0
KERNEL(only_one_thread_waits) {
  volatile int *flag = &a[512];
  if (blockIdx.x == 0) {
    a[t] = t;
    __syncthreads();
    if (t == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    if (t == 0) {
      while (*flag == 0) {}
      __threadfence();
    }
    GOOD(__syncthreads();)
    b[t] = a[t];
  }
}

// CASE released_too_early 64 2 0
KERNEL(released_too_early) {
  volatile int *flag = &a[512];
  if (blockIdx.x == 0) {
    a[t] = t;
    GOOD(__syncthreads();)
    if (t == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    if (t == 0) {
      while (*flag == 0) {}
      __threadfence();
    }
    __syncthreads();
    b[t] = a[t];
  }
}

// CASE atomic_and_plain 64 4 0
KERNEL(atomic_and_plain) {
  atomicAdd(&a[t % 8], 1);
  b[i] = BAD(a[t % 8]) GOOD(atomicAdd(&a[t % 8], 0));
}

// CASE lock_of_blocks 32 4 0
KERNEL(lock_of_blocks) {
  if (t == 0) {
    while (atomicCAS(&a[512], 0, 1) != 0) {}
    GOOD(__threadfence();)
    b[0] += n;
    GOOD(__threadfence();)
    atomicExch(&a[512], 0);
  }
}

// CASE initialised_by_one_block 64 2 0
KERNEL(initialised_by_one_block) {
  if (BAD(i == 0) GOOD(t == 0)) b[BAD(0) GOOD(blockIdx.x)] = n;
  __syncthreads();
  a[i] = b[BAD(0) GOOD(blockIdx.x)];
}

// CASE pairs_of_a_warp 32 1 0
KERNEL(pairs_of_a_warp) {
  a[t] = t;
  GOOD(__syncwarp();)
  b[t] = a[t ^ 1];
}

// CASE bytes_of_two_blocks 64 2 0
KERNEL(bytes_of_two_blocks) {
  unsigned char *bytes = (unsigned char *)b;
  bytes[blockIdx.x * 64 BAD(-blockIdx.x) + t] = i;
}
