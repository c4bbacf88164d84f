// SPDX-License-Identifier: MIT
// Python functions as nodes of graphs.
#pragma once

#include <nanobind/nanobind.h>

#include "driver/cuda_types.h"

namespace pycuda::bindings {

/// A CUhostFn that calls the Python function `function` points to, on the driver's thread with the
/// GIL. What the function raises is printed as unraisable.
void CUDA_CB call_host_node(void* function);
/// The same of a function that it gives up a reference to.
void CUDA_CB call_host_function_once(void* function);

}  // namespace pycuda::bindings
