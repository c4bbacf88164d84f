// SPDX-License-Identifier: MIT
// Recognises arrays that lie in managed memory.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "driver/cuda_types.h"

namespace pycuda::bindings {

/// The address of the first element of an ndarray, or of a view of one, that lies in a
/// ManagedAllocation; nothing for other arrays.
std::optional<CUdeviceptr> managed_memory_of(PyObject* array);

}  // namespace pycuda::bindings
