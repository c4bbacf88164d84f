// SPDX-License-Identifier: MIT
// Keywords of launches that stand for attributes of cuLaunchKernelEx.
#pragma once

#include <nanobind/nanobind.h>

#include "cuda/launch_attributes.h"

namespace pycuda::bindings {

inline constexpr const char* launch_attribute_names =
    "cooperative, cluster, priority, programmatic_dependent_launch";

/// Sets what the keyword `name` stands for, one of these; None leaves it as it is. False for any
/// other name. Raises TypeError or OverflowError for values that make no sense.
bool read_launch_attribute(cuda::LaunchAttributes& attributes, PyObject* name, PyObject* value);

}  // namespace pycuda::bindings
