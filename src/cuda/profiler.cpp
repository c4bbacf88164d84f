// SPDX-License-Identifier: MIT
// The driver's profiler switches.
#include "cuda/profiler.h"

#include "cuda/context_stack.h"

namespace pycuda::cuda {

void initialize_profiler(const std::string& config_file, const std::string& output_file,
                         CUoutput_mode mode) {
  require_context()->driver().cuProfilerInitialize(config_file.c_str(), output_file.c_str(), mode);
}

void start_profiler() { require_context()->driver().cuProfilerStart(); }

void stop_profiler() { require_context()->driver().cuProfilerStop(); }

}  // namespace pycuda::cuda
