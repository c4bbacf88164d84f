// SPDX-License-Identifier: MIT
// Memory of the context's pool that an array holds, and the Python object that stands for it.
#pragma once

#include <nanobind/nanobind.h>

#include "cuda/memory_pool.h"

namespace pycuda::bindings {

/// Gives `block` to its pool, which hands it out again at once. `escaped`: others know its address,
/// so the context's work, which may be in any stream, is waited for.
void give_back(cuda::PooledDeviceMemory block, bool escaped) noexcept;

/// What `gpudata` is of an array with memory of its own.
nanobind::object memory_object(cuda::PooledDeviceMemory block);

void bind_array_memory(nanobind::module_& m);

}  // namespace pycuda::bindings
