// SPDX-License-Identifier: MIT
// Recognises arrays that lie in managed memory.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "driver/cuda_types.h"

namespace pycuda::bindings {

struct ManagedPlace {
  CUdeviceptr address;  ///< of the first element
  bool contiguous;      ///< in the order of C
};

/// Where an ndarray, or a view of one, lies in a ManagedAllocation; nothing for other arrays.
std::optional<ManagedPlace> managed_memory_of(PyObject* array);

}  // namespace pycuda::bindings
