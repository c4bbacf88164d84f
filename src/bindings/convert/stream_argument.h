// SPDX-License-Identifier: MIT
// Streams as arguments: ours, other packages' and none.
#pragma once

#include <nanobind/nanobind.h>

#include "driver/cuda_types.h"

namespace pycuda::bindings {

/// None is the legacy default stream; a Stream or anything with __cuda_stream__ is itself. Raises
/// TypeError, and LogicError for a Stream whose context is gone.
CUstream stream_argument(nanobind::handle stream);

}  // namespace pycuda::bindings
