// SPDX-License-Identifier: MIT
// The exchanges and votes within a warp from before CUDA 9, which named no lanes: they mean those that are there
// together.
#pragma once

extern "C++" {
#define PYCUDA_SHUFFLE(NAME, LANE)                                                 \
  template <class T>                                                               \
  inline __device__ T NAME(T value, LANE lane, int width = 32) {                   \
    return NAME##_sync(__activemask(), value, lane, width);                        \
  }
PYCUDA_SHUFFLE(__shfl, int)
PYCUDA_SHUFFLE(__shfl_up, unsigned int)
PYCUDA_SHUFFLE(__shfl_down, unsigned int)
PYCUDA_SHUFFLE(__shfl_xor, int)
#undef PYCUDA_SHUFFLE
}

// The compiler still declares these, for devices that have ended, and so do headers of CUDA: before the macros.
#if __has_include(<device_atomic_functions.h>)
#include <device_atomic_functions.h>
#endif
#if __has_include(<sm_20_intrinsics.h>)
#include <sm_20_intrinsics.h>
#endif
extern "C" {
inline __device__ int pycuda_old_any(int predicate) { return __any_sync(__activemask(), predicate); }
inline __device__ int pycuda_old_all(int predicate) { return __all_sync(__activemask(), predicate); }
inline __device__ unsigned int pycuda_old_ballot(int predicate) { return __ballot_sync(__activemask(), predicate); }
}
#define __any pycuda_old_any
#define __all pycuda_old_all
#define __ballot pycuda_old_ballot
