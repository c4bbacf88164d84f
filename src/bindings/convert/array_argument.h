// SPDX-License-Identifier: MIT
// CUDA arrays and their descriptions as arguments.
#pragma once

#include <nanobind/nanobind.h>

#include "cuda/cuda_array.h"
#include "cuda/mipmapped_array.h"

namespace pycuda::bindings {

/// The array of a driver.Array; TypeError for anything else. `what` names it in the error.
cuda::CudaArrayPtr array_argument(nanobind::handle object, const char* what);
/// The array of a driver.MipmappedArray, or null.
std::shared_ptr<const cuda::MipmappedArray> mipmapped_array_of(nanobind::handle object);
/// The description of a driver.ArrayDescriptor.
CUDA_ARRAY_DESCRIPTOR descriptor_argument(nanobind::handle object);
/// The driver.Array that an array is of; a new one, which takes it over, for a borrowed one.
nanobind::object array_object_of(const cuda::CudaArrayPtr& array);

}  // namespace pycuda::bindings
