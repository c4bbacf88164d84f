// SPDX-License-Identifier: MIT
// The functions in which the libraries of CUDA 13 and of CUDA 12 differ: all other files are
// compiled once for both.
#include <cstddef>

#include "cublas/cublas_types.h"

namespace pycuda::cublas {
namespace {

/// 130100 for 13.1.0.
constexpr int kVersion = PYCUDA_CUBLAS_MAJOR * 10000;

}  // namespace

extern "C" {

Status cublasGetVersion_v2(void*, int* version) {
  if (version == nullptr) return kInvalidValue;
  *version = kVersion;
  return kSuccess;
}

Status cublasGetProperty(int type, int* value) {
  if (value == nullptr || type < 0 || type > 2) return kInvalidValue;
  *value = type == 0 ? PYCUDA_CUBLAS_MAJOR : 0;
  return kSuccess;
}

std::size_t cublasGetCudartVersion() { return std::size_t{PYCUDA_CUBLAS_MAJOR} * 1000; }

}  // extern "C"

}  // namespace pycuda::cublas
