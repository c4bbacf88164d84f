// SPDX-License-Identifier: MIT
// cuda.h as a driver's author needs it: every ABI version declared under its own name, nothing
// remapped.
#pragma once

#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

// What cuda.h leaves remapped to per-thread names even so.
#undef cuStreamGetCaptureInfo_v2
#undef cuStreamUpdateCaptureDependencies_v2
#undef cuMemPrefetchAsync_v2
