// SPDX-License-Identifier: MIT
// The functions in which the libraries of CUDA 13 and of CUDA 12 differ: all other files are
// compiled once for both.
#include "cusolver/cusolver_types.h"

namespace pycuda::cusolver {

extern "C" {

Status cusolverGetVersion(int* version) {
  if (version == nullptr) return kInvalidValue;
  *version = PYCUDA_CUSOLVER_MAJOR * 1000;
  return kSuccess;
}

Status cusolverGetProperty(int type, int* value) {
  if (value == nullptr || type < 0 || type > 2) return kInvalidValue;
  *value = type == 0 ? PYCUDA_CUSOLVER_MAJOR : 0;
  return kSuccess;
}

}  // extern "C"

}  // namespace pycuda::cusolver
