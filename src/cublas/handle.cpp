// SPDX-License-Identifier: MIT
#include "cublas/handle.h"

namespace pycuda::cublas {

void require_usable(const Handle* handle) {
  if (!Handles::instance().contains(handle)) throw Refusal{Outcome::NotInitialized, ""};
  require_no_failure(*handle);
}

}  // namespace pycuda::cublas
