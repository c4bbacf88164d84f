// SPDX-License-Identifier: MIT
// The library's version.
#include "curand/statuses.h"

namespace pycuda::curand {

extern "C" {

/// 10405 for 10.4.5.
Status curandGetVersion(int* version) {
  if (version == nullptr) return kOutOfRange;
  *version = PYCUDA_CURAND_MAJOR * 1000;
  return kSuccess;
}

Status curandGetProperty(int type, int* value) {
  if (value == nullptr || type < 0 || type > 2) return kOutOfRange;
  *value = type == 0 ? PYCUDA_CURAND_MAJOR : 0;
  return kSuccess;
}

}  // extern "C"

}  // namespace pycuda::curand
