// SPDX-License-Identifier: MIT
// Where memory is: a mem_location_type and a number.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/convert/enumerators.h"
#include "bindings/convert/integers.h"
#include "cuda/context.h"
#include "cuda/context_stack.h"

namespace pycuda::bindings {

inline CUmemLocation current_device_place() {
  CUmemLocation place{};
  place.type = CU_MEM_LOCATION_TYPE_DEVICE;
  place.id = cuda::require_context()->device().handle();
  return place;
}

/// `id` may be None: the current context's device, 0 for other places.
inline CUmemLocation memory_place(nanobind::handle location, nanobind::handle id) {
  CUmemLocation place{};
  place.type = as_enumerator<CUmemLocationType>(location, "location");
  if (!id.is_none()) {
    place.id = as_integer<int>(id, "id");
  } else if (place.type == CU_MEM_LOCATION_TYPE_DEVICE) {
    return current_device_place();
  }
  return place;
}

}  // namespace pycuda::bindings
