// SPDX-License-Identifier: MIT
// The interface without handles. Programs and bindings that only name its functions load; a call is
// refused.
#include <string>

#include "base/log.h"
#include "cublas/cublas_types.h"

namespace pycuda::cublas {

// Parameters are not looked at: in C's convention their number does not matter to the callee.
#define CUBLAS_LEGACY(name)                                                                 \
  extern "C" Status name() {                                                                \
    base::log(base::LogLevel::Warning,                                                      \
              #name " is not supported: it belongs to cuBLAS's interface without handles"); \
    return kNotSupported;                                                                   \
  }
#include "cublas/legacy.def"
#undef CUBLAS_LEGACY

}  // namespace pycuda::cublas
