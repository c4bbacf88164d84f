// SPDX-License-Identifier: MIT
// NVIDIA's types of both APIs, with every function of the run-time API under its own name.
#pragma once

// cuda_types.h defines __CUDA_API_VERSION_INTERNAL, with which cuda_runtime_api.h declares both
// forms of a function (cudaMemcpy and cudaMemcpy_ptds) and renames neither.
#include "driver/cuda_types.h"
// Their order matters.
#include <cuda_runtime_api.h>

/// Starts the definition of an exported function.
#define CUDART_API extern "C" __attribute__((visibility("default"))) cudaError_t
