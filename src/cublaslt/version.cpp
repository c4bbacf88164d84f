// SPDX-License-Identifier: MIT
// The functions in which the libraries of CUDA 13 and of CUDA 12 differ: all other files are
// compiled once for both.
#include <cstddef>

#include "cublas/statuses.h"

namespace pycuda::cublaslt {

extern "C" {

/// 130100 for 13.1.0.
std::size_t cublasLtGetVersion() { return std::size_t{PYCUDA_CUBLASLT_MAJOR} * 10000; }

std::size_t cublasLtGetCudartVersion() { return std::size_t{PYCUDA_CUBLASLT_MAJOR} * 1000; }

cublas::Status cublasLtGetProperty(int type, int* value) {
  if (value == nullptr || type < 0 || type > 2) return cublas::kInvalidValue;
  *value = type == 0 ? PYCUDA_CUBLASLT_MAJOR : 0;
  return cublas::kSuccess;
}

}  // extern "C"

}  // namespace pycuda::cublaslt
