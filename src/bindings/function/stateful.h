// SPDX-License-Identifier: MIT
// The launch interface from before CUDA 4: a function keeps block, shared memory and parameters.
#pragma once

#include <Python.h>

namespace pycuda::bindings {

/// Methods of Function: set_block_shape, set_shared_size, param_set, param_set_size, param_seti,
/// param_setf, param_setv, launch, launch_grid and launch_grid_async, which warn that they are
/// deprecated; the same with a leading underscore, which do not; and _launch_kernel. Ends with a
/// zero.
const PyMethodDef* stateful_methods();

}  // namespace pycuda::bindings
