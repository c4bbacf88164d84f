// SPDX-License-Identifier: MIT
// Keywords of launches that stand for attributes of cuLaunchKernelEx.
#pragma once

#include <nanobind/nanobind.h>

#include "cuda/launch_attributes.h"

namespace pycuda::bindings {

/// Sets what the keyword `name` stands for: cooperative, cluster, priority or
/// programmatic_dependent_launch; None leaves it as it is. False for any other name. Raises
/// TypeError or OverflowError for values that make no sense.
bool read_launch_attribute(cuda::LaunchAttributes& attributes, PyObject* name, PyObject* value);

}  // namespace pycuda::bindings
