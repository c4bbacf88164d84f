// SPDX-License-Identifier: MIT
// The Python class Function: a kernel that is called like a function.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "cuda/kernel.h"

namespace pycuda::bindings {

/// A new Function. The class is a plain extension type with a vectorcall entry and not one of
/// nanobind's: a launch must cost little more than the driver's own call.
nanobind::object make_function(std::shared_ptr<cuda::Kernel> kernel);

/// The kernel of a Function. Raises TypeError for anything else.
const cuda::Kernel& kernel_of_function(nanobind::handle function);

}  // namespace pycuda::bindings
