// SPDX-License-Identifier: MIT
// NVIDIA's types and enumerations, without the macros that rename functions.
#pragma once

#if defined(cuMemAlloc)
#error \
    "Include a header of pycuda before <cuda.h>: the latter's macros would rename the table's entries."
#endif
// This makes cuda.h take back its `#define cuMemAlloc cuMemAlloc_v2` and others at its end.
#if !defined(__CUDA_API_VERSION_INTERNAL)
#define __CUDA_API_VERSION_INTERNAL
#endif
#include <cuda.h>

#if CUDA_VERSION < 13000
#error "The driver table needs the cuda.h of CUDA 13: `pip install nvidia-cuda-runtime`."
#endif

// The one type of cudaProfiler.h, a header that NVIDIA's wheels leave out.
#if !defined(cuda_profiler_H)  // NOLINTNEXTLINE(modernize-use-using): as it is there
typedef enum CUoutput_mode_enum { CU_OUT_KEY_VALUE_PAIR = 0, CU_OUT_CSV = 1 } CUoutput_mode;
#endif
