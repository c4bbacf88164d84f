// SPDX-License-Identifier: MIT
// What the functions of cuBLAS and cuBLASLt return.
#pragma once

#include "hostblas/calls.h"

namespace pycuda::cublas {

enum Status {
  kSuccess = 0,
  kNotInitialized = 1,
  kAllocFailed = 3,
  kInvalidValue = 7,
  kMappingError = 11,
  kExecutionFailed = 13,
  kInternalError = 14,
  kNotSupported = 15,
};

inline Status status_of(hostblas::Outcome outcome) {
  switch (outcome) {
    case hostblas::Outcome::Success:
      return kSuccess;
    case hostblas::Outcome::NotInitialized:
      return kNotInitialized;
    case hostblas::Outcome::AllocFailed:
      return kAllocFailed;
    case hostblas::Outcome::InvalidValue:
      return kInvalidValue;
    case hostblas::Outcome::ExecutionFailed:
      return kExecutionFailed;
    case hostblas::Outcome::NotSupported:
      return kNotSupported;
    default:
      return kInternalError;
  }
}

inline const char* status_name(int status) {
  switch (status) {
    case kSuccess:
      return "CUBLAS_STATUS_SUCCESS";
    case kNotInitialized:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case kAllocFailed:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case kInvalidValue:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case 8:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case kMappingError:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case kExecutionFailed:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case kInternalError:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case kNotSupported:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case 16:
      return "CUBLAS_STATUS_LICENSE_ERROR";
    default:
      return "cublasUnknown";
  }
}

inline const char* status_text(int status) {
  switch (status) {
    case kSuccess:
      return "the operation was successful";
    case kNotInitialized:
      return "the handle is not initialised";
    case kAllocFailed:
      return "memory could not be allocated";
    case kInvalidValue:
      return "an argument is not valid";
    case kExecutionFailed:
      return "the operation could not be executed";
    case kNotSupported:
      return "the operation is not supported";
    default:
      return status_name(status);
  }
}

}  // namespace pycuda::cublas
