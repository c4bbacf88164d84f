// SPDX-License-Identifier: MIT
// One source for two kernels: with a fault and without.
#pragma once

#ifdef FAULT
#define BAD(...) __VA_ARGS__
#define GOOD(...)
#else
#define BAD(...)
#define GOOD(...) __VA_ARGS__
#endif

// `a`, `b` and `c` are arrays of `n` ints in device memory: zeros, and in `c` memory that nobody
// wrote. `t` is the thread, `i` the thread of the grid.
#define KERNEL(name)                                                                               \
  static __device__ __forceinline__ void name##_body(int* a, int* b, int* c, int n, int t, int i); \
  extern "C" __global__ void name(int* a, int* b, int* c, int n) {                                 \
    name##_body(a, b, c, n, threadIdx.x, blockIdx.x* blockDim.x + threadIdx.x);                    \
  }                                                                                                \
  static __device__ __forceinline__ void name##_body(int* a, int* b, int* c, int n, int t, int i)
