// SPDX-License-Identifier: MIT
// The definition file against NVIDIA's header: checked by compiling.
#include <type_traits>

#include "driver/cuda_types.h"

#define CU_FUNCTIONS_OF_CUDA_H
#define CU_FUNCTION(name, symbol, version, parameters)                           \
  static_assert(std::is_same_v<decltype(::symbol), CUresult CUDAAPI parameters>, \
                "driver_functions.def: " #name " differs from cuda.h");
#include "driver/driver_functions.def"
#undef CU_FUNCTION
