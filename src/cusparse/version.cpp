// SPDX-License-Identifier: MIT
// The library's version.
#include "cusparse/handle.h"

namespace pycuda::cusparse {

extern "C" {

Status cusparseGetVersion(Handle*, int* version) {
  if (version == nullptr) return kInvalidValue;
  *version = PYCUDA_CUSPARSE_MAJOR * 1000;
  return kSuccess;
}
Status cusparseGetProperty(int type, int* value) {
  if (value == nullptr || type < 0 || type > 2) return kInvalidValue;
  *value = type == 0 ? PYCUDA_CUSPARSE_MAJOR : 0;
  return kSuccess;
}

}  // extern "C"

}  // namespace pycuda::cusparse
