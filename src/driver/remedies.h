// SPDX-License-Identifier: MIT
// What to do about errors whose code says too little.
#pragma once

#include <string>

#include "driver/cuda_types.h"

namespace pycuda::driver {

/// What to do about the error `code` of `routine`; null where there is nothing to add.
const char* remedy_of(CUresult code, const std::string& routine);

}  // namespace pycuda::driver
