// SPDX-License-Identifier: MIT
#include <string>

#include "base/log.h"
#include "standins/nvml_state.h"

using namespace pycuda::standins;

extern "C" {

// Parameters are not looked at: in C's convention their number does not matter to the callee.
#define NVML_UNSUPPORTED(name)                                                  \
  nvmlReturn_t name() {                                                         \
    if (nvml_driver() == nullptr) return NVML_ERROR_UNINITIALIZED;              \
    pycuda::base::log(pycuda::base::LogLevel::Info, #name " is not supported"); \
    return NVML_ERROR_NOT_SUPPORTED;                                            \
  }
#include "standins/nvml_unsupported.def"
#undef NVML_UNSUPPORTED

}  // extern "C"
