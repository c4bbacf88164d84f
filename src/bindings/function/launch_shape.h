// SPDX-License-Identifier: MIT
// Grids, blocks and streams of a launch, from Python.
#pragma once

#include <nanobind/nanobind.h>

#include "cuda/launch.h"

namespace pycuda::bindings {

/// A tuple or list of up to three integers; what is missing is 1. `what` is "grid" or "block".
/// Raises TypeError, OverflowError for negative numbers, LogicError for more than three.
cuda::Dim3 dimensions(PyObject* object, const char* what);

/// Launches, without the GIL: the driver blocks while its queue is full.
void launch_without_gil(const cuda::Kernel& kernel, const cuda::LaunchShape& shape,
                        const void* arguments, std::size_t bytes);

}  // namespace pycuda::bindings
