// SPDX-License-Identifier: MIT
// Functions that always answer cudaErrorNotSupported. No header declares them here: their answer
// does not depend on their parameters, and older headers lack some of them.
#include "cudart/refusal.h"

#define CUDART_UNSUPPORTED(name, reason)                             \
  extern "C" __attribute__((visibility("default"))) int name(void) { \
    return pycuda::cudart::refuse(#name, reason);                    \
  }
#include "cudart/unsupported.def"
#undef CUDART_UNSUPPORTED
