// SPDX-License-Identifier: MIT
// Tensor maps as arguments of kernels.
#pragma once

#include <nanobind/nanobind.h>

#include "driver/cuda_types.h"

namespace pycuda::bindings {

/// The map of a driver.TensorMap; null for any other object.
const CUtensorMap* tensor_map_of(PyObject* object);

}  // namespace pycuda::bindings
