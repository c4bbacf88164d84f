// SPDX-License-Identifier: MIT
// The exchanges within a warp from before CUDA 9, which named no lanes: they mean those that are there together.
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
