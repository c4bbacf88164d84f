// SPDX-License-Identifier: MIT
// Starts and stops an external profiler (cuProfilerStart, cuProfilerStop).
#pragma once

#include <string>

#include "driver/cuda_types.h"

namespace pycuda::cuda {

/// Deprecated by the driver, which may answer CUDA_ERROR_NOT_SUPPORTED.
void initialize_profiler(const std::string& config_file, const std::string& output_file,
                         CUoutput_mode mode);
void start_profiler();
void stop_profiler();

}  // namespace pycuda::cuda
