// SPDX-License-Identifier: MIT
// Copies of vectors and matrices between host and device, with their distances.
#include <cstring>

#include "cublas/handle.h"

namespace pycuda::cublas {
namespace {

/// Rows of one element each, at distances.
Status copy_rows(Int rows, std::size_t row_bytes, const void* source, std::size_t source_pitch,
                 void* destination, std::size_t destination_pitch, CUstream stream, bool wait) {
  const Driver* const cuda = driver();
  CUcontext context = nullptr;
  if (cuda == nullptr || cuda->current(&context) != CUDA_SUCCESS || context == nullptr)
    return kNotInitialized;
  if (rows == 0 || row_bytes == 0) return kSuccess;
  if (source == nullptr || destination == nullptr) return kMappingError;
  CUDA_MEMCPY2D copy{};
  // Unified addresses: the driver knows what is the host's.
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = reinterpret_cast<CUdeviceptr>(source);
  copy.dstDevice = reinterpret_cast<CUdeviceptr>(destination);
  copy.srcPitch = source_pitch;
  copy.dstPitch = destination_pitch;
  copy.WidthInBytes = row_bytes;
  copy.Height = static_cast<std::size_t>(rows);
  if (cuda->copy_2d(&copy, stream) != CUDA_SUCCESS) return kMappingError;
  if (wait && cuda->synchronize(stream) != CUDA_SUCCESS) return kExecutionFailed;
  return kSuccess;
}

Status copy_vector(Int n, Int element_bytes, const void* x, Int step_x, void* y, Int step_y,
                   CUstream stream, bool wait) {
  if (n < 0 || element_bytes <= 0 || step_x <= 0 || step_y <= 0) return kInvalidValue;
  const auto bytes = static_cast<std::size_t>(element_bytes);
  if (step_x == 1 && step_y == 1)
    return copy_rows(1, static_cast<std::size_t>(n) * bytes, x, static_cast<std::size_t>(n) * bytes,
                     y, static_cast<std::size_t>(n) * bytes, stream, wait);
  return copy_rows(n, bytes, x, static_cast<std::size_t>(step_x) * bytes, y,
                   static_cast<std::size_t>(step_y) * bytes, stream, wait);
}

Status copy_matrix(Int rows, Int columns, Int element_bytes, const void* a, Int lda, void* b,
                   Int ldb, CUstream stream, bool wait) {
  if (rows < 0 || columns < 0 || element_bytes <= 0 || lda < std::max<Int>(1, rows) ||
      ldb < std::max<Int>(1, rows))
    return kInvalidValue;
  const auto bytes = static_cast<std::size_t>(element_bytes);
  return copy_rows(columns, static_cast<std::size_t>(rows) * bytes, a,
                   static_cast<std::size_t>(lda) * bytes, b, static_cast<std::size_t>(ldb) * bytes,
                   stream, wait);
}

}  // namespace

#define CUBLAS_TRANSFERS(I, width)                                                                 \
  extern "C" Status cublasSetVector##width(I n, I bytes, const void* x, I incx, void* y, I incy) { \
    return copy_vector(n, bytes, x, incx, y, incy, nullptr, true);                                 \
  }                                                                                                \
  extern "C" Status cublasGetVector##width(I n, I bytes, const void* x, I incx, void* y, I incy) { \
    return copy_vector(n, bytes, x, incx, y, incy, nullptr, true);                                 \
  }                                                                                                \
  extern "C" Status cublasSetVectorAsync##width(I n, I bytes, const void* x, I incx, void* y,      \
                                                I incy, CUstream stream) {                         \
    return copy_vector(n, bytes, x, incx, y, incy, stream, false);                                 \
  }                                                                                                \
  extern "C" Status cublasGetVectorAsync##width(I n, I bytes, const void* x, I incx, void* y,      \
                                                I incy, CUstream stream) {                         \
    return copy_vector(n, bytes, x, incx, y, incy, stream, false);                                 \
  }                                                                                                \
  extern "C" Status cublasSetMatrix##width(I rows, I columns, I bytes, const void* a, I lda,       \
                                           void* b, I ldb) {                                       \
    return copy_matrix(rows, columns, bytes, a, lda, b, ldb, nullptr, true);                       \
  }                                                                                                \
  extern "C" Status cublasGetMatrix##width(I rows, I columns, I bytes, const void* a, I lda,       \
                                           void* b, I ldb) {                                       \
    return copy_matrix(rows, columns, bytes, a, lda, b, ldb, nullptr, true);                       \
  }                                                                                                \
  extern "C" Status cublasSetMatrixAsync##width(I rows, I columns, I bytes, const void* a, I lda,  \
                                                void* b, I ldb, CUstream stream) {                 \
    return copy_matrix(rows, columns, bytes, a, lda, b, ldb, stream, false);                       \
  }                                                                                                \
  extern "C" Status cublasGetMatrixAsync##width(I rows, I columns, I bytes, const void* a, I lda,  \
                                                void* b, I ldb, CUstream stream) {                 \
    return copy_matrix(rows, columns, bytes, a, lda, b, ldb, stream, false);                       \
  }
CUBLAS_TRANSFERS(int, )
CUBLAS_TRANSFERS(std::int64_t, _64)

}  // namespace pycuda::cublas
